import BinderyCore
import BinderyJSON

/// Any JSON value, for the examples that change a value's type.
struct AnyJSON: Editable {
  let text: [UInt8]

  init(_ text: String) { self.text = Array(text.utf8) }

  static let shape = EditableShape<AnyJSON>.scalar(
    "Loose", schemaType: "string", example: "1", expected: "anything",
    encode: { $1.raw($0.text) }, decode: { AnyJSON(String(decoding: $0.text, as: UTF8.self)) })
}

/// A model with one member for each kind of document in the appendix of RFC 6902.
struct Appendix: StateModel {
  var words: [String: String] = [:]
  var lists: [String: [String]] = [:]
  var rows: [String: [[String]]] = [:]
  var tables: [String: [String: String]] = [:]
  var numbers: [String: Int] = [:]
  var family = Family(foo: "bar", child: nil)
  var mixed = Mixed(baz: "qux", foo: ["a", "2", "c"].map { AnyJSON($0 == "2" ? $0 : "\"\($0)\"") })

  static let shape = EditableShape<Appendix>.members(
    Appendix.init, StoredMember("words", \.words), StoredMember("lists", \.lists), StoredMember("rows", \.rows),
    StoredMember("tables", \.tables), StoredMember("numbers", \.numbers), StoredMember("family", \.family),
    StoredMember("mixed", \.mixed))
}

struct Family: Editable {
  var foo: String
  var child: [String: [String: String]]?

  static let shape = EditableShape<Family>.members(
    Family.init, StoredMember("foo", \.foo), StoredMember("child", \.child))
}

struct Mixed: Editable {
  var baz: String
  var foo: [AnyJSON]

  static let shape = EditableShape<Mixed>.members(Mixed.init, StoredMember("baz", \.baz), StoredMember("foo", \.foo))
}
