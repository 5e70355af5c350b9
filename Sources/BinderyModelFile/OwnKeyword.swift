import BinderyCore
import BinderyJSON

/// A keyword of `x-bindery`.
struct OwnKeyword {
  let name: String
  /// The value in JSON.
  let value: [UInt8]

  init(_ name: String, _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    write(&writer)
    self.name = name
    value = writer.bytes
  }

  /// Returns the flags of a stored member.
  static func flags(of member: MemberDeclaration) -> [OwnKeyword] {
    [("generated", member.isGenerated), ("omitNull", member.omitsNull)].filter(\.1)
      .map { name, _ in OwnKeyword(name) { $0.bool(true) } }
  }

  /// Returns the keywords of a schema.
  static func all(of schema: SchemaDeclaration) -> [OwnKeyword] {
    switch schema.kind {
    case .any, .reference, .union, .collection, .set: []
    case .scalar(let scalar): all(of: scalar)
    case .structure(let structure): structure.identity.map { id in [OwnKeyword("id") { $0.string(id) }] } ?? []
    case .list(let element, _): element.mayHaveID ? [OwnKeyword("addressable") { $0.bool(false) }] : []
    case .dictionary(_, let keys, _): keys == .string ? [] : [OwnKeyword("keys") { $0.string(keys.rawValue) }]
    case .optional(let wrapped): wrapped.isInlineOptional ? all(of: wrapped) : []
    }
  }

  private static func all(of scalar: ScalarDeclaration) -> [OwnKeyword] {
    var keywords: [OwnKeyword] = []
    func number(_ name: String, _ value: Int?) {
      if let value { keywords.append(OwnKeyword(name) { $0.integer(Int64(value)) }) }
    }
    if scalar.form == .base64 {
      number("minBytes", scalar.length.minimum)
      number("maxBytes", scalar.length.maximum)
    }
    if let minimum = scalar.characters.minimum, let maximum = scalar.characters.maximum {
      keywords.append(
        OwnKeyword("characters") { writer in
          writer.beginArray()
          writer.integer(Int64(minimum))
          writer.integer(Int64(maximum))
          writer.endArray()
        })
    }
    number("maxBytes", scalar.maximumBytes)
    if scalar.isNotBlank { keywords.append(OwnKeyword("notBlank") { $0.bool(true) }) }
    if scalar.hasNoControlCharacters { keywords.append(OwnKeyword("noControlCharacters") { $0.bool(true) }) }
    if let reference = scalar.reference {
      let texts = [("to", reference.target.text), ("onRemoval", reference.onRemoval.rawValue)]
      keywords.append(OwnKeyword("reference", texts: texts))
    }
    if let code = scalar.code { keywords.append(OwnKeyword("swift") { $0.string(code) }) }
    return keywords
  }

  /// Creates the keyword of an optic.
  init(_ optic: OpticDeclaration) {
    switch optic {
    case .alias(let place): self.init("alias") { $0.string(place.text) }
    case .count(let place): self.init("count") { $0.string(place.text) }
    case .lookup(let source, let key): self.init("lookup", texts: [("in", source.text), ("by", key.text)])
    case .orDefault(let source, let value):
      self.init("orDefault", texts: [("of", source.text)]) { writer in
        writer.key("value")
        writer.raw(value.json)
      }
    case .filter(let source, let member, let value):
      self.init("filter", texts: [("in", source.text), ("where", member.text)]) { writer in
        writer.key("equals")
        writer.raw(value.json)
      }
    case .label(let source, let texts, let otherwise):
      self.init("label", texts: [("of", source.text)]) { writer in
        writer.key("texts")
        writer.beginObject()
        for text in texts { writer.member(text.value, text.text) }
        writer.endObject()
        guard let otherwise else { return }
        writer.member("otherwise", otherwise)
      }
    }
  }

  private init(_ name: String, texts: [(String, String)], _ rest: (inout JSONWriter) -> Void = { _ in }) {
    self.init(name) { writer in
      writer.beginObject()
      for (name, text) in texts { writer.member(name, text) }
      rest(&writer)
      writer.endObject()
    }
  }
}

extension SchemaDeclaration {
  /// Whether an array of this type would be a collection unless the model file says otherwise.
  fileprivate var mayHaveID: Bool {
    switch kind {
    case .structure(let structure): structure.identity != nil
    case .optional(let wrapped): wrapped.mayHaveID
    case .reference: true
    case .any, .scalar, .union, .list, .set, .collection, .dictionary: false
    }
  }
}
