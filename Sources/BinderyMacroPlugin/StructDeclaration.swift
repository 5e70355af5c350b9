#if Macros
import SwiftSyntax

/// A struct with `@Editable`.
struct StructDeclaration {
  private let declaration: StructDeclSyntax
  private let header: TypeHeader
  private let reporter: Reporter

  init(_ declaration: StructDeclSyntax, _ header: TypeHeader, _ reporter: Reporter) {
    self.declaration = declaration
    self.header = header
    self.reporter = reporter
  }

  /// Returns the declaration to generate: the shape.
  func members() -> [String] {
    let properties = properties()
    let stored = properties.filter { !$0.isComputed }
    requireOneID(stored)
    for property in stored {
      guard let type = property.type else { continue }
      header.check(type, hasID: stored.contains(where: \.isID), reporter)
    }
    requireDistinctNames(properties)
    requireInitializer(stored)

    let labels = stored.map { $0.name.plainText + ":" }.joined()
    var arguments = ["\(header.name).init" + (labels.isEmpty ? "" : "(\(labels))")]
    arguments += stored.map { StoredMember($0, reporter).expression() }
    let computed = properties.filter(\.isComputed).map { ComputedMember($0, stored, reporter).expression() }
    if !computed.isEmpty { arguments.append("computed: [\n    \(computed.joined(separator: ",\n    "))\n  ]") }
    let list = arguments.joined(separator: ",\n  ")
    return ["\(header.access)static let shape = EditableShape<\(header.name)>.members(\n  \(list))"]
  }

  /// Returns the properties that are members: all stored ones, and those computed ones that have an attribute.
  private func properties() -> [Property] {
    declaration.memberBlock.members.flatMap { item -> [Property] in
      if let conditional = item.decl.as(IfConfigDeclSyntax.self), conditional.declares(VariableDeclSyntax.self) {
        reporter.error(at: conditional, "@Editable cannot read properties in an #if block; move them out of it")
      }
      guard let variable = item.decl.as(VariableDeclSyntax.self), !variable.isStatic else { return [] }
      if let lazy = variable.modifiers.first(where: { $0.name.tokenKind == .keyword(.lazy) }) {
        reporter.error(
          at: lazy, "@Editable does not support lazy properties; make it a computed property, or a stored one",
          fix: .remove("remove `lazy`", lazy))
        return []
      }
      return variable.bindings.compactMap { Property($0, of: variable, reporter) }
    }
  }

  private func requireOneID(_ stored: [Property]) {
    let ids = stored.filter(\.isID)
    guard ids.count > 1, let extra = ids.last(where: { $0.attributes[.id] != nil }) else { return }
    let other = ids.first { $0.name.text != extra.name.text } ?? extra
    reporter.error(
      at: extra.name, "“\(extra.name.plainText)” is a second id; “\(other.name.plainText)” is already the id",
      fix: extra.attributes[.id].map { .remove("remove @ID", $0) })
  }

  private func requireDistinctNames(_ properties: [Property]) {
    let names = properties.map(\.jsonName)
    for (index, property) in properties.enumerated() where names[..<index].contains(property.jsonName) {
      reporter.error(at: property.name, "duplicate member \(property.jsonName.literal) in JSON; rename one with @Named")
    }
  }

  /// Requires the initializer that takes all stored members.
  ///
  /// The compiler synthesizes it unless the struct declares another one.
  private func requireInitializer(_ stored: [Property]) {
    let initializers = declaration.memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
    let labels = stored.map(\.name.plainText)
    let fits = initializers.contains { initializer in
      initializer.signature.parameterClause.parameters.map(\.firstName.plainText) == labels
    }
    guard let last = declaration.memberBlock.members.last(where: { $0.decl.is(InitializerDeclSyntax.self) }), !fits
    else { return }
    let names = labels.map { $0 + ":" }.joined()
    let parameters = stored.map { "\($0.name.plainText): \($0.typeText)" }.joined(separator: ", ")
    let indent = last.leadingTrivia.indentation
    let body = stored.map { "\(indent)  self.\($0.name.text) = \($0.name.text)\n" }.joined()
    let missing = "\n\n\(indent)\(header.access)init(\(parameters)) {\n\(body)\(indent)}"
    reporter.error(
      at: last.decl.as(InitializerDeclSyntax.self)?.initKeyword ?? declaration.name,
      "“\(header.name)” declares an initializer of its own and so has no memberwise one; @Editable also needs "
        + "init(\(names))",
      fix: .insert("add init(\(names))", missing, after: last))
  }
}

/// A property of a struct.
struct Property {
  let name: TokenSyntax
  let attributes: Attributes
  let variable: VariableDeclSyntax
  let binding: PatternBindingSyntax

  /// Reads a property; returns nil if it is no member, or if a mistake was reported.
  init?(_ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, _ reporter: Reporter) {
    guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
      reporter.error(at: binding.pattern, "@Editable needs each property declared by itself, as in `var a = 1`")
      return nil
    }
    self.name = pattern.identifier
    self.attributes = Attributes(variable.attributes)
    self.variable = variable
    self.binding = binding
    // A computed property without attributes serves Swift code only.
    if isComputed, attributes.isEmpty { return nil }
  }

  var jsonName: String { attributes.jsonName ?? name.plainText }

  /// The type as declared; nil without an annotation.
  var type: TypeSyntax? {
    // In `var x, y: Int` the annotation follows the last name.
    variable.bindings.drop { $0.id != binding.id }.lazy.compactMap(\.typeAnnotation).first?.type
  }

  /// The type in source text: as declared, or that of a literal, or a placeholder for the author.
  var typeText: String {
    if let type { return type.trimmedDescription }
    guard let value = binding.initializer?.value else { return "<#Type#>" }
    if value.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if value.is(FloatLiteralExprSyntax.self) { return "Double" }
    if value.is(StringLiteralExprSyntax.self) { return "String" }
    if value.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    return "<#Type#>"
  }

  /// Whether other code may read the property, but not set it, as with `private(set)`.
  var hasRestrictedSetter: Bool { variable.modifiers.contains { $0.detail?.detail.text == "set" } }
  var isLet: Bool { variable.bindingSpecifier.tokenKind == .keyword(.let) }

  /// Whether the property is the id of its type: by its name, or by an attribute.
  var isID: Bool { attributes[.id] != nil || (name.plainText == "id" && attributes[.hidden] == nil) }

  /// The explicit accessors, such as `set` or `didSet`.
  private var accessors: [AccessorDeclSyntax] {
    if case .accessors(let list)? = binding.accessorBlock?.accessors { return Array(list) }
    return []
  }

  var isComputed: Bool {
    guard binding.accessorBlock != nil else { return false }
    return !accessors.contains { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }

  var hasSetter: Bool { accessors.contains { ["set", "_modify"].contains($0.accessorSpecifier.text) } }

  /// The explicit getter; nil if there is only a body.
  var getter: AccessorDeclSyntax? { accessors.first { ["get", "_read"].contains($0.accessorSpecifier.text) } }

  /// The code that reads the property.
  var getterBody: Syntax? {
    if case .getter(let body)? = binding.accessorBlock?.accessors { return Syntax(body) }
    return getter.map { Syntax($0) }
  }
}

extension VariableDeclSyntax {
  /// Whether the property belongs to the type and not to its values.
  var isStatic: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class) }
  }
}

extension Trivia {
  /// The spaces before the first token of a line.
  fileprivate var indentation: String {
    if case .spaces(let count)? = pieces.last { return String(repeating: " ", count: count) }
    return ""
  }
}
#endif
