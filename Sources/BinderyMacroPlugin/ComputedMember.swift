#if Macros
import SwiftSyntax

/// A computed property as a member of a shape.
struct ComputedMember {
  private let property: Property
  private let stored: [Property]
  private let reporter: Reporter

  init(_ property: Property, _ stored: [Property], _ reporter: Reporter) {
    self.property = property
    self.stored = stored
    self.reporter = reporter
  }

  /// Returns the expression that declares the member.
  func expression() -> String {
    property.attributes.requireOnly([.computedFrom, .readOnly, .named], on: "a computed member", reporter)
    requirePureGetter()
    let isReadOnly =
      !property.hasSetter || property.hasRestrictedSetter || property.attributes[.readOnly] != nil
    let path = "\\.\(property.name.text)"
    var arguments = [property.jsonName.literal, isReadOnly ? "readOnly: \(path)" : path]
    if let attribute = property.attributes[.computedFrom] {
      arguments += sources(attribute)
      if let filling = attribute.argument("filling") {
        if isReadOnly {
          reporter.error(at: filling, "`filling:` has no effect without a setter; leave it out")
        } else {
          arguments.append("filling: \(filling.trimmedDescription)")
        }
      }
    } else {
      reporter.error(
        at: property.name,
        "the computed member “\(property.name.plainText)” needs @ComputedFrom with the stored members that its getter "
          + "reads",
        fix: .insert("add @ComputedFrom", " @ComputedFrom(\(suggestion))", after: property.variable.attributes))
    }
    return "ComputedMember(\(arguments.joined(separator: ", ")))"
  }

  /// Returns the `from:` arguments.
  private func sources(_ attribute: AttributeSyntax) -> [String] {
    let paths = attribute.list.prefix { $0.label == nil }.map(\.expression)
    guard let last = paths.last else {
      reporter.error(
        at: attribute, "@ComputedFrom needs the stored members that the getter reads, or \\.self for all of them",
        fix: .replace("list the members", attribute.attributeName, with: "ComputedFrom(\(suggestion))"))
      return []
    }
    if paths.contains(where: { $0.trimmedDescription == "\\.self" }) { return [] }
    let names = paths.map(checkedName)
    let missing = reads.filter { !names.contains($0) }
    if let first = missing.first, names.allSatisfy(isStored) {
      let text = missing.map { "\\.\($0)" }.joined(separator: ", ")
      reporter.warning(
        at: last, "the getter also reads “\(first)”; without it, subscribers miss changes",
        fix: .insert("add \(text)", ", \(text)", after: last))
    }
    let list = zip(paths, names).map { path, name in name.isEmpty ? path.trimmedDescription : "\\.\(name)" }
    return ["from: " + list.joined(separator: ", ")]
  }

  /// Returns the name of the stored member that a source names; reports anything else.
  private func checkedName(_ path: ExprSyntax) -> String {
    guard let keyPath = path.as(KeyPathExprSyntax.self), let first = keyPath.components.first,
      case .property(let component) = first.component
    else {
      reporter.error(at: path, "name a stored member by its key path, such as \(suggestion)")
      return ""
    }
    let name = component.declName.baseName.plainText
    if !isStored(name) {
      reporter.error(
        at: path, "“\(name)” is not a stored member; list the stored members that the getter reads",
        fix: .replace("list \(suggestion)", path, with: suggestion))
    } else if keyPath.components.count > 1 {
      reporter.error(
        at: path, "a source is a whole member; name “\(name)” alone",
        fix: .replace("use \\.\(name)", path, with: "\\.\(name)"))
    }
    return name
  }

  private func isStored(_ name: String) -> Bool { stored.contains { $0.name.plainText == name } }

  /// The sources that the getter seems to read, as arguments.
  private var suggestion: String {
    reads.isEmpty ? "\\.self" : reads.map { "\\.\($0)" }.joined(separator: ", ")
  }

  /// The names of the stored members that the getter mentions, in the order of the members.
  private var reads: [String] {
    guard let body = property.getterBody else { return [] }
    let visitor = ReadVisitor(viewMode: .sourceAccurate)
    visitor.walk(body)
    return stored.map(\.name.plainText).filter {
      visitor.reads.contains($0) && !visitor.locals.contains($0) || visitor.selfReads.contains($0)
    }
  }

  private func requirePureGetter() {
    guard let getter = property.getter else { return }
    if let effects = getter.effectSpecifiers {
      reporter.error(at: effects, "the getter of a member can neither throw nor suspend")
    }
    if let modifier = getter.modifier, modifier.name.tokenKind == .keyword(.mutating) {
      reporter.error(
        at: modifier, "the getter of a member must not change the value", fix: .remove("remove `mutating`", modifier))
    }
  }
}

/// Collects the names that code reads without a base or from `self`, and the names of its local variables.
private final class ReadVisitor: SyntaxVisitor {
  var reads: Set<String> = []
  var selfReads: Set<String> = []
  var locals: Set<String> = []

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.baseName.plainText
    guard let access = node.parent?.as(MemberAccessExprSyntax.self), access.declName.id == node.id else {
      if node.parent?.is(KeyPathPropertyComponentSyntax.self) != true { reads.insert(name) }
      return .visitChildren
    }
    if access.base?.trimmedDescription == "self" { selfReads.insert(name) }
    return .visitChildren
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    // `if let count` reads the property and does not only declare a variable.
    guard node.initializer == nil, let name = node.pattern.as(IdentifierPatternSyntax.self) else {
      return .visitChildren
    }
    selfReads.insert(name.identifier.plainText)
    return .skipChildren
  }

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    locals.insert(node.identifier.plainText)
    return .visitChildren
  }

  override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
    locals.insert(node.name.plainText)
    return .visitChildren
  }

  override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
    locals.insert((node.secondName ?? node.firstName).plainText)
    return .visitChildren
  }
}
#endif
