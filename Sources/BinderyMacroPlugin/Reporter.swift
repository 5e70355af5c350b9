#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Reports mistakes in a declaration as compiler errors, at the place of the mistake.
final class Reporter {
  private let context: any MacroExpansionContext
  /// Whether an error was reported.
  private(set) var hasErrors = false

  init(_ context: some MacroExpansionContext) { self.context = context }

  /// Reports an error.
  ///
  /// - Parameters:
  ///   - node: The place of the mistake.
  ///   - text: What is wrong, and what to write instead.
  ///   - fix: The correction that editors offer.
  func error(at node: some SyntaxProtocol, _ text: String, fix: Fix? = nil) {
    hasErrors = true
    report(node, MacroExpansionErrorMessage(text), fix)
  }

  /// Reports a warning.
  func warning(at node: some SyntaxProtocol, _ text: String, fix: Fix? = nil) {
    report(node, MacroExpansionWarningMessage(text), fix)
  }

  private func report(_ node: some SyntaxProtocol, _ message: any DiagnosticMessage, _ fix: Fix?) {
    let fixes = fix.map { [FixIt(message: MacroExpansionFixItMessage($0.title), changes: [$0.change])] } ?? []
    context.diagnose(Diagnostic(node: node, message: message, fixIts: fixes))
  }
}

/// A correction of the source text.
struct Fix {
  /// The imperative that editors show.
  let title: String
  let change: FixIt.Change

  /// Replaces a node by another one, and keeps the white space around it.
  static func replace(_ title: String, _ node: some SyntaxProtocol, with text: String) -> Fix {
    let token = TokenSyntax.identifier(text)
      .with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
    return Fix(title: title, change: .replace(oldNode: Syntax(node), newNode: Syntax(token)))
  }

  /// Inserts text directly after a node.
  static func insert(_ title: String, _ text: String, after node: some SyntaxProtocol) -> Fix {
    replace(title, node, with: node.trimmedDescription + text)
  }

  /// Removes a node and the white space after it.
  static func remove(_ title: String, _ node: some SyntaxProtocol) -> Fix {
    let nothing = TokenSyntax.identifier("").with(\.leadingTrivia, node.leadingTrivia)
    return Fix(title: title, change: .replace(oldNode: Syntax(node), newNode: Syntax(nothing)))
  }
}
#endif
