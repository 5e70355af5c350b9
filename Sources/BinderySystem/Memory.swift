import CBinderyLinux

/// The memory of the process.
package enum Memory {
  /// Returns free memory to the kernel, such as what loading the state has used.
  package static func releaseUnused() { _ = malloc_trim(0) }
}
