import BinderyCore
import BinderyJSON

/// Any JSON value, for the examples that change a value's type.
struct AnyJSON: Bindable {
  let text: [UInt8]

  init(_ text: String) { self.text = Array(text.utf8) }

  static let shape = Shape<AnyJSON>.scalar(
    "Loose", schemaType: "string", example: "1", expected: "anything",
    encode: { $1.raw($0.text) }, decode: { AnyJSON(String(decoding: $0.text, as: UTF8.self)) })
}

/// A model with one member for each kind of document in the appendix of RFC 6902.
struct Appendix: Model {
  var words: [String: String] = [:]
  var lists: [String: [String]] = [:]
  var rows: [String: [[String]]] = [:]
  var tables: [String: [String: String]] = [:]
  var numbers: [String: Int] = [:]
  var family = Family(foo: "bar", child: nil)
  var mixed = Mixed(baz: "qux", foo: ["a", "2", "c"].map { AnyJSON($0 == "2" ? $0 : "\"\($0)\"") })

  static let shape = Shape<Appendix>.members(
    Appendix.init, Member("words", \.words), Member("lists", \.lists), Member("rows", \.rows),
    Member("tables", \.tables), Member("numbers", \.numbers), Member("family", \.family), Member("mixed", \.mixed))
}

struct Family: Bindable {
  var foo: String
  var child: [String: [String: String]]?

  static let shape = Shape<Family>.members(Family.init, Member("foo", \.foo), Member("child", \.child))
}

struct Mixed: Bindable {
  var baz: String
  var foo: [AnyJSON]

  static let shape = Shape<Mixed>.members(Mixed.init, Member("baz", \.baz), Member("foo", \.foo))
}
