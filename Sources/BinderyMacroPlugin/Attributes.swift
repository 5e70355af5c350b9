#if Macros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// The attributes of this package on a member or case.
struct Attributes {
  /// The attributes that change how ``EditableMacro`` declares a member or case.
  enum Name: String {
    case constrained = "Constrained"
    case readOnly = "ReadOnly"
    case hidden = "Hidden"
    case id = "ID"
    case computedFrom = "ComputedFrom"
    case named = "Named"
  }

  private let list: [(name: Name, node: AttributeSyntax)]

  init(_ attributes: AttributeListSyntax) {
    list = attributes.compactMap { element in
      guard let attribute = element.as(AttributeSyntax.self), let name = Name(rawValue: attribute.baseName) else {
        return nil
      }
      return (name, attribute)
    }
  }

  /// Whether there are no such attributes.
  var isEmpty: Bool { list.isEmpty }

  /// The first attribute with a name.
  subscript(_ name: Name) -> AttributeSyntax? { list.first { $0.name == name }?.node }

  /// All attributes with a name.
  func all(_ name: Name) -> [AttributeSyntax] { list.filter { $0.name == name }.map(\.node) }

  /// The constraints, as written.
  ///
  /// - Parameter label: The payload label that they belong to; nil for those without a label.
  func constraints(of label: String?) -> [String] {
    all(.constrained).filter { $0.label == label }.flatMap { attribute in
      attribute.list.filter { $0.label == nil }.map { $0.expression.trimmedDescription }
    }
  }

  /// The name in JSON that replaces the name in Swift.
  var jsonName: String? {
    self[.named]?.list.first?.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
  }

  /// Reports attributes that do not fit the kind of declaration, and a name that is not a literal.
  ///
  /// - Parameters:
  ///   - allowed: The attributes that fit.
  ///   - kind: The kind of declaration, with its article.
  func requireOnly(_ allowed: Set<Name>, on kind: String, _ reporter: Reporter) {
    for (name, node) in list where !allowed.contains(name) {
      reporter.error(
        at: node, "@\(name.rawValue) does not apply to \(kind)",
        fix: .remove("remove @\(name.rawValue)", node))
    }
    if let named = self[.named], jsonName == nil {
      reporter.error(at: named, "@Named needs a string literal, because the macro cannot evaluate an expression")
    }
  }
}

extension AttributeSyntax {
  /// The name without a module.
  var baseName: String {
    attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.as(IdentifierTypeSyntax.self)?.name.text
      ?? attributeName.trimmedDescription
  }

  /// The arguments in parentheses.
  var list: [LabeledExprSyntax] {
    guard case .argumentList(let list)? = arguments else { return [] }
    return Array(list)
  }

  /// The argument with a label.
  func argument(_ label: String) -> ExprSyntax? { list.first { $0.label?.text == label }?.expression }

  /// The payload label that a constraint names with `of:`.
  var label: String? { argument("of")?.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

extension TokenSyntax {
  /// The name without backticks.
  var plainText: String { text.filter { $0 != "`" } }
}

extension String {
  /// This text as a string literal.
  var literal: String { StringLiteralExprSyntax(content: self).description }
}
#endif
