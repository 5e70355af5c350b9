#if Macros
import SwiftParser
import SwiftSyntax

/// An enum with `@Editable`.
struct EnumDeclaration {
  private let declaration: EnumDeclSyntax
  private let header: TypeHeader
  private let reporter: Reporter

  init(_ declaration: EnumDeclSyntax, _ header: TypeHeader, _ reporter: Reporter) {
    self.declaration = declaration
    self.header = header
    self.reporter = reporter
  }

  /// Returns the declarations to generate: a property for each case with a payload, and the shape. An enum with raw
  /// values needs only the shape.
  func members() -> [String] {
    if let rawType { return [rawValues(of: rawType)] }
    let elements = elements()
    let names = elements.map(\.jsonName)
    for (index, element) in elements.enumerated() where names[..<index].contains(element.jsonName) {
      reporter.error(at: element.syntax, "duplicate case \(element.jsonName.literal) in JSON; rename one with @Named")
    }
    var properties: [String] = []
    var list: [String] = []
    for element in elements {
      if element.parameters.isEmpty {
        list.append(withoutPayload(element))
      } else {
        let name = element.syntax.name.text
        properties.append("\(header.access)static let \(name) = \(withPayload(element))")
        list.append(name)
      }
    }
    let cases = list.isEmpty ? "" : "\n  " + list.joined(separator: ",\n  ")
    return properties + ["\(header.access)static let shape = EditableShape<\(header.name)>.cases(\(cases))"]
  }

  /// A case with its attributes.
  private struct Element {
    let syntax: EnumCaseElementSyntax
    let attributes: Attributes

    /// The name in JSON.
    var jsonName: String { attributes.jsonName ?? syntax.name.plainText }
    /// The payloads.
    var parameters: [EnumCaseParameterSyntax] { syntax.parameterClause.map { Array($0.parameters) } ?? [] }
    /// The labels of the payloads; nil for those without a label.
    var labels: [TokenSyntax?] {
      parameters.map { $0.firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0 } }
    }
  }

  private func elements() -> [Element] {
    declaration.memberBlock.members.flatMap { item -> [Element] in
      if let conditional = item.decl.as(IfConfigDeclSyntax.self), conditional.declares(EnumCaseDeclSyntax.self) {
        reporter.error(at: conditional, "@Editable cannot read cases in an #if block; move them out of it")
      }
      guard let row = item.decl.as(EnumCaseDeclSyntax.self) else { return [] }
      let attributes = Attributes(row.attributes)
      attributes.requireOnly([.constrained, .named], on: "a case", reporter)
      if row.elements.count > 1, let attribute = attributes[.named] ?? attributes[.constrained] {
        reporter.error(at: attribute, "@\(attribute.baseName) needs a `case` of its own; declare the other cases apart")
        return []
      }
      return row.elements.map { Element(syntax: $0, attributes: attributes) }.filter(check)
    }
  }

  /// Reports mistakes in a case; returns whether it can be declared.
  private func check(_ element: Element) -> Bool {
    for parameter in element.parameters { header.check(parameter.type, hasID: false, reporter) }
    let labels = element.labels.map { $0?.plainText }
    if labels.count > 1, let index = labels.firstIndex(of: nil) {
      let parameter = element.parameters[index]
      let type = parameter.type
      reporter.error(
        at: parameter, "several payloads need labels, which are their names in JSON",
        fix: .replace(
          "add a label", parameter.trimmed(type),
          with: "\(parameter.secondName?.text ?? "<#label#>"): \(type.trimmedDescription)"))
      return false
    }
    for attribute in element.attributes.all(.constrained) {
      if labels.isEmpty {
        reporter.error(
          at: attribute, "“\(element.syntax.name.plainText)” has no payload to constrain",
          fix: .remove("remove @Constrained", attribute))
      } else if labels.count == 1, let label = attribute.label, label != labels[0] {
        reportUnknown(label, attribute, labels, element)
      } else if labels.count > 1, !labels.contains(attribute.label) {
        reportUnknown(attribute.label, attribute, labels, element)
      }
    }
    return true
  }

  private func reportUnknown(
    _ label: String?, _ attribute: AttributeSyntax, _ labels: [String?], _ element: Element
  ) {
    let known = labels.compactMap { $0 }
    let text =
      label.map { "“\(element.syntax.name.plainText)” has no payload “\($0)”" }
      ?? "“\(element.syntax.name.plainText)” has several payloads"
    let fix: Fix? =
      if let old = attribute.argument("of"), let first = known.first {
        .replace("use “\(first)”", old, with: first.literal)
      } else if let last = attribute.list.last, let first = known.first {
        .insert("constrain “\(first)”", ", of: \(first.literal)", after: last)
      } else {
        nil
      }
    reporter.error(at: attribute, "\(text); name one with `of:`: \(known.joined(separator: ", "))", fix: fix)
  }

  /// The type of the raw values; nil if the enum has none.
  private var rawType: TypeSyntax? {
    let names: Set = [
      "String", "Character", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
      "Double", "Float",
    ]
    let first = declaration.inheritanceClause?.inheritedTypes.first?.type
    return first.flatMap { names.contains($0.trimmedDescription) ? $0 : nil }
  }

  /// Returns the shape of an enum with raw values, and reports what `rawValues()` does not support.
  private func rawValues(of type: TypeSyntax) -> String {
    if !["String", "Int", "Double", "Float"].contains(type.trimmedDescription) {
      reporter.error(
        at: type, "raw values of type “\(type.trimmedDescription)” cannot be in JSON; use String, Int, Double or Float")
    } else if !header.inherited.contains("CaseIterable") {
      reporter.error(
        at: type, "the schema of an enum with raw values lists all of them, so “\(header.name)” must be CaseIterable",
        fix: .insert("add CaseIterable", ", CaseIterable", after: type))
    }
    for row in declaration.memberBlock.members.compactMap({ $0.decl.as(EnumCaseDeclSyntax.self) }) {
      Attributes(row.attributes).requireOnly([], on: "a case with a raw value, which is its JSON", reporter)
    }
    return "\(header.access)static let shape = EditableShape<\(header.name)>.rawValues()"
  }

  private func withoutPayload(_ element: Element) -> String {
    let (json, name) = (element.jsonName.literal, element.syntax.name.text)
    let start = "EnumCase(\(json), \(header.name).\(name))"
    return isEquatable ? start : start + " { if case .\(name) = $0 { () } else { nil } }"
  }

  private func withPayload(_ element: Element) -> String {
    let (json, name) = (element.jsonName.literal, element.syntax.name.text)
    let labels = element.labels.compactMap { $0 }
    let embed = "\(header.name).\(name)" + (labels.isEmpty ? "" : "(\(labels.map { $0.plainText + ":" }.joined()))")
    let call: String
    if labels.count > 1 {
      let members = labels.enumerated().map { index, label in
        let constraints = element.attributes.constraints(of: label.plainText)
        return "StoredMember(\(([label.plainText.literal, "\\.\(index)"] + constraints).joined(separator: ", ")))"
      }
      call = "EnumCase(\n  \(json), \(embed),\n  \(members.joined(separator: ",\n  "))\n)"
    } else {
      let label = labels.first?.plainText
      let constraints = element.attributes.constraints(of: nil) + (label.map(element.attributes.constraints) ?? [])
      let arguments = [json] + (label.map { ["label: \($0.literal)"] } ?? []) + [embed] + constraints
      call = "EnumCase(\(arguments.joined(separator: ", ")))"
    }
    let names = labels.isEmpty ? ["payload"] : labels.map(\.bindingName)
    let pattern = names.map { "let \($0)" }.joined(separator: ", ")
    let value = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
    return """
      \(call) {
        if case .\(name)(\(pattern)) = $0 { \(value) } else { nil }
      }
      """
  }

  /// Whether the enum is known to have the synthesized `==`, which distinguishes its cases.
  private var isEquatable: Bool {
    let members = declaration.memberBlock.members
    let isCustom = members.contains { $0.decl.as(FunctionDeclSyntax.self)?.name.text == "==" }
    let hasPayloads = members.contains {
      $0.decl.as(EnumCaseDeclSyntax.self)?.elements.contains { $0.parameterClause != nil } == true
    }
    return !isCustom && (!hasPayloads || !header.inherited.isDisjoint(with: ["Equatable", "Hashable", "Comparable"]))
  }
}

extension EnumCaseParameterSyntax {
  /// The part of the parameter that a label replaces: an explicit `_` or only the type.
  fileprivate func trimmed(_ type: TypeSyntax) -> Syntax { firstName == nil ? Syntax(type) : Syntax(self) }
}

extension TokenSyntax {
  /// The name as a variable: keywords, which may be labels, need backticks.
  fileprivate var bindingName: String {
    plainText.isValidSwiftIdentifier(for: .variableName) ? plainText : "`\(plainText)`"
  }
}

extension IfConfigDeclSyntax {
  /// Whether a branch contains a declaration of a kind.
  func declares<Declaration: DeclSyntaxProtocol>(_ kind: Declaration.Type) -> Bool {
    clauses.contains { clause in
      guard case .decls(let items)? = clause.elements else { return false }
      return items.contains { $0.decl.is(kind) }
    }
  }
}
#endif
