package import BinderyCore
import BinderyJSON

/// The types of a model as a TypeScript module, for the browser client.
///
/// Names and texts of a model are data: names are string literals, and comments cannot be ended by a text.
package struct TypeScriptTypes {
  /// The source of the module.
  package private(set) var text: String

  /// Creates the module.
  ///
  /// - Parameter program: The command that creates it, for its first line.
  package init<Root: Sendable>(of model: ModelDefinition<Root>, program: String) {
    var declarations = TypeScriptDeclarations(OpenAPITypeNames(model.shape.type), root: model.shape.type)
    let root = declarations.expression(model.shape.type, hint: "State")
    text = """
      // Written by \(program) types --typescript. Use: connect<State>() of client.js.

      import type * as bindery from "./client.js";

      """
    text += declarations.text
    if root != "State" { text += "\n/** The whole state. */\nexport type State = \(root);\n" }
  }
}

/// The declarations of named types, each written once.
private struct TypeScriptDeclarations {
  private let names: OpenAPITypeNames
  /// The declared names with the signatures of their types.
  private var declared: [String: String] = [:]
  /// The signature of the type of the whole state, which alone has the name `State`.
  private let rootSignature: String
  private(set) var text = ""

  init(_ names: OpenAPITypeNames, root: TypeInfo) {
    self.names = names
    rootSignature = root.signature
  }

  /// Returns the type of a value.
  ///
  /// - Parameter hint: The name for a type without a distinctive name of its own.
  mutating func expression(_ type: TypeInfo, hint: String) -> String {
    switch type.kind {
    case .scalar(let scalar): return Self.scalar(scalar, type.rules)
    case .product(let product):
      return declare(type, hint) { $0.interface($1, product, type.notes, isNew: false) }
    case .sum(let cases):
      return declare(type, hint) { declarations, name in
        let members = cases.map { declarations.alternative($0, of: name) }
        let union = members.isEmpty ? "never" : members.joined(separator: " | ")
        return Self.comment(type.notes) + "export type \(name) = \(union);\n"
      }
    case .optional(let wrapped):
      let value = expression(wrapped, hint: hint)
      if case .optional = wrapped.kind { return "{ some: \(value) } | null" }
      return "\(value) | null"
    case .elements(let element, _): return list(element, isFixed: type.isFixed, hint: hint)
    case .array(let element), .set(let element): return "readonly (\(expression(element, hint: hint + "Item")))[]"
    case .dictionary(let entry, let key):
      let value = expression(entry, hint: hint + "Entry")
      guard case .scalar(let scalar) = key.type.kind, scalar.type == "string", !scalar.values.isEmpty else {
        return "{ [key: string]: \(value) }"
      }
      return "{ [key in \(Self.scalar(scalar, []))]?: \(value) }"
    }
  }

  /// Returns the type of elements with ids: the element, its id, and a new element.
  private mutating func list(_ element: TypeInfo, isFixed: Bool, hint: String) -> String {
    let value = expression(element, hint: hint + "Item")
    guard case .product(let product) = element.kind, let identity = product.identity else {
      return "bindery.List<\(value)>"
    }
    let id = hasTextID(product, identity) ? "bindery.ID<\(Self.literal(value))>" : "string"
    return "bindery.List<\(value), \(id), \(isFixed ? "never" : new(element, product, value))>"
  }

  /// Returns the type of a new element.
  private mutating func new(_ element: TypeInfo, _ product: ProductInfo, _ name: String) -> String {
    declare(element, "New" + name, name: "New" + name) { $0.interface($1, product, Notes(), isNew: true) }
  }

  /// Returns the type of a member of a new element, whose own elements are new, too.
  ///
  /// - Parameter needsIDs: Whether the ids of these elements are required, although they have a default.
  private mutating func newExpression(_ type: TypeInfo, hint: String, needsIDs: Bool = false) -> String {
    switch type.kind {
    case .optional(let wrapped) where !wrapped.isOptional: return "\(newExpression(wrapped, hint: hint)) | null"
    case .elements(let element, _):
      guard case .product(let product) = element.kind, let id = element.identity else { break }
      let value = new(element, product, expression(element, hint: hint + "Item"))
      if !needsIDs { return "readonly \(value)[]" }
      return "readonly (\(value) & { \(Self.literal(id.name)): \(expression(id.type, hint: hint)) })[]"
    default: break
    }
    return expression(type, hint: hint)
  }

  /// Returns whether the id of an element is a text, so that ids of different types can be told apart.
  private func hasTextID(_ product: ProductInfo, _ identity: Int) -> Bool {
    if case .scalar(let scalar) = product.members[identity].type.kind { scalar.type == "string" } else { false }
  }

  private mutating func interface(_ name: String, _ product: ProductInfo, _ notes: Notes, isNew: Bool) -> String {
    var lines = Self.comment(notes) + "export interface \(name) {\n"
    let element = isNew ? String(name.dropFirst("New".count)) : name
    for (index, member) in product.members.enumerated() where member.role != .hidden {
      if isNew, member.role == .computedReadOnly { continue }
      let hint = element + OpenAPINaming.capitalized(member.name)
      var value =
        isNew
        ? newExpression(member.type, hint: hint, needsIDs: product.isNumbered(member))
        : expression(member.type, hint: hint)
      if index == product.identity, hasTextID(product, index) {
        value = isNew ? "string" : "bindery.ID<\(Self.literal(element))>"
      }
      if !isNew, !member.isWritable { value = "bindery.ReadOnly<\(value)>" }
      let isOptional = isNew ? !OpenAPISchemaVariant.new.requires(member) : member.omitsNull
      lines += Self.comment(member.notes, indentation: "  ")
      lines += "  \(Self.literal(member.name))\(isOptional ? "?" : ""): \(value);\n"
    }
    if product.isOpen { lines += "  [key: string]: unknown;\n" }
    return lines + "}\n"
  }

  /// Returns the type of an enum value in one case.
  private mutating func alternative(_ enumCase: CaseInfo, of type: String) -> String {
    guard let payload = enumCase.payload else { return Self.literal(enumCase.name) }
    let hint = OpenAPITypeNames.labels(of: enumCase, in: type)
    let value =
      if enumCase.isLabelled, case .product(let product) = payload.kind {
        declare(payload, hint, name: hint) { $0.interface($1, product, Notes(), isNew: false) }
      } else {
        expression(payload, hint: hint)
      }
    return "{ \(Self.literal(enumCase.name)): \(value) }"
  }

  /// Declares a type unless it has been declared, and returns its name.
  private mutating func declare(
    _ type: TypeInfo, _ hint: String, name: String? = nil,
    _ declaration: (inout TypeScriptDeclarations, String) -> String
  ) -> String {
    let base = name ?? names.name(of: type, hint: hint)
    let signature = type.signature
    let name = OpenAPINaming.unused(base) {
      (declared[$0] ?? ($0 == "State" ? rootSignature : signature)) != signature
    }
    guard declared[name] == nil else { return name }
    declared[name] = signature
    let source = declaration(&self, name)
    text += "\n" + source
    return name
  }
}

extension TypeScriptDeclarations {
  /// Returns the type of a scalar.
  private static func scalar(_ scalar: Scalar, _ rules: [Rule]) -> String {
    if !scalar.values.isEmpty {
      let isInteger = scalar.type == "integer"
      return scalar.values.map { escaped($0) + (isInteger && !isSafe($0) ? "n" : "") }.joined(separator: " | ")
    }
    return switch scalar.type {
    case "string": "string"
    case "boolean": "boolean"
    case "number": "number"
    case "integer": isSafe(rules) ? "number" : "bindery.Integer"
    default: "unknown"
    }
  }

  /// Returns whether a number of JavaScript has every integer that rules allow.
  private static func isSafe(_ rules: [Rule]) -> Bool {
    let limits = NumberLimits(rules)
    guard let minimum = limits.minimum, let maximum = limits.maximum else { return false }
    return isSafe(minimum.text) && isSafe(maximum.text)
  }

  /// Returns whether a number of JavaScript has an integer (ECMA-262, `Number.MAX_SAFE_INTEGER`).
  private static func isSafe(_ integer: String) -> Bool {
    Int(integer).map((-(1 << 53) + 1...(1 << 53) - 1).contains) ?? false
  }

  /// Returns a text as a string literal.
  private static func literal(_ text: String) -> String { escaped(JSONTree.string(text).text) }

  /// Returns canonical JSON as a literal. Line separators end a line in JavaScript but not in JSON (ECMA-262 §12.3),
  /// and characters that are not visible can make a text look like another one (Unicode Technical Report 36).
  private static func escaped(_ json: String) -> String {
    String(
      json.unicodeScalars.flatMap { scalar -> [Character] in
        isVisible(scalar) ? [Character(scalar)] : Array("\\u{\(String(scalar.value, radix: 16))}")
      })
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// Returns a documentation comment, or nothing without notes.
  private static func comment(_ notes: Notes, indentation: String = "") -> String {
    let text = [notes.title, notes.description].compactMap(\.self).joined(separator: ": ")
    guard !text.isEmpty else { return "" }
    let line = text.unicodeScalars.map { $0.properties.isWhitespace || !isVisible($0) ? " " : String($0) }.joined()
    let parts = line.split(separator: "*/", omittingEmptySubsequences: false)
    return "\(indentation)/** \(parts.joined(separator: "* /")) */\n"
  }
}
