#if !Macros
/// Without the trait `Macros` this program is empty, but SwiftPM still builds it.
@main
enum Plugin {
  static func main() {}
}
#elseif canImport(SwiftCompilerPlugin)
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros, for the compiler.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [EditableMacro.self, AttributeMacro.self]
}
#endif
