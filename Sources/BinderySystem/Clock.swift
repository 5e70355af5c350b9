import CBinderyLinux

/// The kernel's clocks.
package enum Clock {
  /// The milliseconds since an arbitrary moment (CLOCK_MONOTONIC). Never decreases.
  package static var monotonicMilliseconds: Int64 { monotonicNanoseconds / 1_000_000 }

  /// The nanoseconds since the same moment.
  package static var monotonicNanoseconds: Int64 {
    let time = read(CLOCK_MONOTONIC)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The milliseconds since 1970-01-01 in UTC (CLOCK_REALTIME).
  package static var wallMilliseconds: Int64 {
    let time = read(CLOCK_REALTIME)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The milliseconds since the machine booted, including time in suspend (CLOCK_BOOTTIME).
  static var bootMilliseconds: Int64 {
    let time = read(CLOCK_BOOTTIME)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    // clock_gettime fails only for unknown clocks.
    _ = unsafe clock_gettime(clock, &time)
    return time
  }
}
