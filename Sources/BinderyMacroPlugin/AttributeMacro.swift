#if Macros
public import SwiftSyntax
public import SwiftSyntaxMacros

/// Implements the attributes of members and cases, such as `@ReadOnly`.
///
/// They generate nothing: `@Editable` reads them. Here they are checked to be where `@Editable` finds them.
public enum AttributeMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    let (reporter, name) = (Reporter(context), node.baseName)
    let remove = Fix.remove("remove @\(name)", node)
    guard declaration.is(EnumCaseDeclSyntax.self) || declaration.as(VariableDeclSyntax.self)?.isStatic == false else {
      reporter.error(at: node, "@\(name) applies only to properties of structs and to cases of enums", fix: remove)
      return []
    }
    let parent = context.lexicalContext.first
    if parent?.is(ExtensionDeclSyntax.self) == true {
      reporter.error(
        at: node,
        "@\(name) has no effect in an extension, which @Editable cannot see; move the declaration into the type",
        fix: remove)
    } else if parent?.asProtocol((any WithAttributesSyntax).self)?.isEditable != true {
      reporter.error(at: node, "@\(name) has no effect in a type without @Editable", fix: remove)
    }
    return []
  }
}

extension WithAttributesSyntax {
  fileprivate var isEditable: Bool {
    attributes.contains { $0.as(AttributeSyntax.self)?.baseName == "Editable" }
  }
}
#endif
