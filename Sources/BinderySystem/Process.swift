import CBinderyLinux

/// The current process.
package enum Process {
  /// Terminates the process with an exit code.
  package static func exit(_ code: Int32) -> Never { CBinderyLinux.exit(code) }

  /// The id of the user whose permissions this process has (geteuid(2)).
  package static var userID: UInt32 { geteuid() }

  /// Returns an environment variable (getenv(3)); nil if it is not set or empty.
  package static func environmentVariable(_ name: String) -> String? {
    guard let value = unsafe getenv(name).map({ unsafe String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }

  /// Returns free memory to the kernel, such as what loading the state has used.
  package static func releaseUnusedMemory() { _ = malloc_trim(0) }

  /// Lets blocks of 128 KiB and more return to the kernel when they are freed.
  ///
  /// By default the first such block that is freed raises the threshold, up to 32 MiB (mallopt(3)). The responses that
  /// slow clients leave unread are then pieces of larger blocks, which stay when the clients are gone.
  package static func returnLargeBlocks() {
    _ = mallopt(M_MMAP_THRESHOLD, 128 * 1024)
    // The default follows the threshold. This much free memory at the end of the heap is kept for the next requests.
    _ = mallopt(M_TRIM_THRESHOLD, 1024 * 1024)
  }

  /// The number of processors that this process may run on (sched_getaffinity(2)), at least 1.
  package static var processorCount: Int {
    var mask = [UInt64](repeating: 0, count: 16)
    let result = unsafe mask.withUnsafeMutableBytes { unsafe bindery_sched_getaffinity(0, $0.count, $0.baseAddress) }
    return result == 0 ? max(1, mask.reduce(0) { $0 + $1.nonzeroBitCount }) : 1
  }
}
