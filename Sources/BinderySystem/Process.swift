import CBinderyLinux

/// This process.
package enum Process {
  /// Ends it.
  package static func end(_ code: Int32) -> Never { exit(code) }
}
