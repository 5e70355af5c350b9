import CBinderyLinux

/// The kernel's clocks.
package enum Clock {
  /// Milliseconds since some moment, never set back.
  package static var monotonicMilliseconds: Int64 { monotonicNanoseconds / 1_000_000 }

  /// Nanoseconds since the same moment.
  package static var monotonicNanoseconds: Int64 {
    let time = read(CLOCK_MONOTONIC)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Milliseconds since 1970 in UTC.
  package static var wallMilliseconds: Int64 {
    let time = read(CLOCK_REALTIME)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Milliseconds since the machine was started, also those in which it slept.
  static var bootMilliseconds: Int64 {
    let time = read(CLOCK_BOOTTIME)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    // Fails only for clocks that do not exist.
    _ = unsafe clock_gettime(clock, &time)
    return time
  }
}
