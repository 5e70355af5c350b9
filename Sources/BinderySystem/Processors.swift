import CBinderyLinux

/// The machine's processors.
package enum Processors {
  /// How many this process may run on (sched_getaffinity(2)), at least one.
  package static var count: Int {
    var mask = [UInt64](repeating: 0, count: 16)
    let result = unsafe mask.withUnsafeMutableBytes { unsafe bindery_sched_getaffinity(0, $0.count, $0.baseAddress) }
    return result == 0 ? max(1, mask.reduce(0) { $0 + $1.nonzeroBitCount }) : 1
  }
}
