#if Macros
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// Implements `@Editable`: generates the shape and the conformance of a struct or an enum.
public enum EditableMacro: MemberMacro, ExtensionMacro {
  /// The generated text is formatted already.
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo: [TypeSyntax],
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    let reporter = Reporter(context)
    var members: [String] = []
    var access = ""
    if let declaration = declaration.as(StructDeclSyntax.self) {
      let header = TypeHeader(declaration, declaration.genericParameterClause, reporter)
      members = StructDeclaration(declaration, header, reporter).members()
      access = header.access
    } else if let declaration = declaration.as(EnumDeclSyntax.self) {
      let header = TypeHeader(declaration, declaration.genericParameterClause, reporter)
      members = EnumDeclaration(declaration, header, reporter).members()
      access = header.access
    } else {
      let keyword = declaration.introducer
      reporter.error(
        at: keyword, "@Editable needs a struct or an enum: editable state is a value",
        fix: .replace("make it a struct", keyword, with: "struct"))
      return []
    }
    // After a mistake, a shape that never runs keeps the compiler from reporting consequences of the mistake.
    if !declaration.shapes.isEmpty { return [] }
    if reporter.hasErrors { members = ["\(access)static var shape: Bindery.EditableShape<Self> { fatalError() }"] }
    return members.map { DeclSyntax(stringLiteral: $0) }
  }

  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self), !protocols.isEmpty else {
      return []
    }
    // Qualified, because SwiftUI has a type with the same name.
    return [try ExtensionDeclSyntax("extension \(type.trimmed): Bindery.Editable {}")]
  }
}
#endif
