import BinderyCore
import BinderyJSON

/// The members of a JSON object in a model file. Each is taken once; those that are left are mistakes.
final class Fields {
  /// The place of the object in the model file, as a JSON Pointer.
  let pointer: String
  private var entries: [(name: String, node: JSONNode)] = []
  /// The members of `x-bindery`.
  private(set) var own: Fields?
  /// Whether the object is `x-bindery`.
  private let isOwn: Bool

  /// Creates the fields of an object.
  ///
  /// - Parameter mistakes: Receives a mistake if the value is not an object, or if a member is duplicate.
  init(_ node: JSONNode, at pointer: String, isOwn: Bool = false, _ mistakes: inout [ModelMistake]) {
    self.pointer = pointer
    self.isOwn = isOwn
    guard node.kind == .object else {
      mistakes.append(ModelMistake("expected an object, got \(node.excerpt(maximum: 40))", at: pointer))
      return
    }
    var seen: Set<[UInt8]> = []
    for (key, value) in node.members {
      let name = key.string ?? ""
      guard seen.insert(Array(name.utf8)).inserted else {
        mistakes.append(ModelMistake("duplicate member “\(name)”", at: place(name)))
        continue
      }
      if name == "x-bindery" {
        own = Fields(value, at: place(name), isOwn: true, &mistakes)
      } else {
        entries.append((name, value))
      }
    }
  }

  /// Returns the place of a member in the model file.
  func place(_ name: String) -> String { pointer + "/" + Pointer.escaped(name) }

  /// Returns whether a member has not been taken yet.
  func has(_ name: String) -> Bool { entries.contains { $0.name == name } }

  /// Returns a member without taking it.
  func peek(_ name: String) -> JSONNode? { entries.first { $0.name == name }?.node }

  /// Takes a member.
  func take(_ name: String) -> JSONNode? {
    guard let index = entries.firstIndex(where: { $0.name == name }) else { return nil }
    return entries.remove(at: index).node
  }

  /// Returns a mistake for each member that is left, here and in `x-bindery`.
  ///
  /// - Parameter context: What the members belong to, such as “a string”.
  func remaining(in context: String) -> [ModelMistake] {
    let mine = entries.map { ModelMistake(reason(toRefuse: $0.name, in: context), at: place($0.name)) }
    return mine + (own?.remaining(in: context) ?? [])
  }

  private func reason(toRefuse name: String, in context: String) -> String {
    if name == "required" { return "“required” is a list of names in the object that contains the members" }
    let (isKeyword, isOwnKeyword) = (Self.keywords.contains(name), Self.ownKeywords.contains(name))
    if isOwnKeyword, !isOwn { return "“\(name)” is a member of “x-bindery”" }
    if isKeyword, isOwn { return "“\(name)” is a keyword of JSON Schema: write it beside “x-bindery”" }
    if isKeyword || isOwnKeyword { return "“\(name)” does not apply to \(context)" }
    if name == "definitions" { return "definitions are in “$defs”" }
    if Self.unsupported.contains(name) { return "model files do not support the keyword “\(name)” of JSON Schema" }
    let known = Self.keywords.union(Self.ownKeywords)
    let suggestion = Spelling.closest(to: name, among: known).map { "; did you mean “\($0)”?" } ?? ""
    return "unknown keyword “\(name)”\(suggestion)"
  }

  /// The other keywords of JSON Schema 2020-12.
  private static let unsupported: Set<String> = [
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$vocabulary", "allOf", "contains",
    "contentMediaType", "contentSchema", "dependentRequired", "dependentSchemas", "deprecated", "else", "examples",
    "if",
    "maxContains", "minContains", "multipleOf", "not", "pattern", "patternProperties", "prefixItems", "propertyNames",
    "then", "unevaluatedItems", "unevaluatedProperties", "writeOnly",
  ]

  /// The keywords that model files may contain.
  private static let keywords: Set<String> = [
    "$ref", "$defs", "$schema", "additionalProperties", "anyOf", "const", "contentEncoding", "default", "description",
    "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties",
    "maximum", "minItems", "minLength", "minProperties", "minimum", "oneOf", "properties", "readOnly", "required",
    "title", "type", "uniqueItems",
  ]

  /// The members that `x-bindery` may have.
  private static let ownKeywords: Set<String> = [
    "addressable", "alias", "characters", "count", "filter", "generated", "id", "keys", "label", "lookup", "maxBytes",
    "minBytes", "noControlCharacters", "notBlank", "omitNull", "orDefault", "reference", "remembered", "swift",
  ]
}
