import CBinderyLinux

/// The kernel's clocks.
package enum Clock {
  /// The milliseconds since an arbitrary moment (CLOCK_MONOTONIC). Never decreases.
  package static var monotonicMilliseconds: Int64 { monotonicNanoseconds / 1_000_000 }

  /// The nanoseconds since the same moment.
  package static var monotonicNanoseconds: Int64 {
    let time = read(CLOCK_MONOTONIC)
    // The kernel represents this clock in 64 bits too, so it overflows no earlier. A library that fakes the clock could
    // exceed that; subtracting the first reading prevents it. One day is added, so that 0 is long ago.
    return units(
      per: 1_000_000_000, seconds: Int64(time.tv_sec) - firstSecond + 86_400, nanoseconds: Int64(time.tv_nsec))
  }

  /// The seconds of the monotonic clock at its first reading.
  private static let firstSecond = Int64(read(CLOCK_MONOTONIC).tv_sec)

  /// The milliseconds since 1970-01-01 in UTC (CLOCK_REALTIME), clamped to the years 1 to 9999.
  ///
  /// The range is that of the dates in headers, logs and the state. Adding any duration of this program to a time in it
  /// cannot overflow.
  package static var wallMilliseconds: Int64 {
    let time = read(CLOCK_REALTIME)
    return wallMilliseconds(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// Converts a reading of the wall clock; see ``wallMilliseconds``.
  package static func wallMilliseconds(seconds: Int64, nanoseconds: Int64) -> Int64 {
    min(max(units(per: 1000, seconds: seconds, nanoseconds: nanoseconds), -62_135_596_800_000), 253_402_300_799_999)
  }

  /// The processor time of the calling thread, in nanoseconds (CLOCK_THREAD_CPUTIME_ID).
  package static var threadNanoseconds: Int64 {
    let time = read(CLOCK_THREAD_CPUTIME_ID)
    return units(per: 1_000_000_000, seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// The milliseconds since the machine booted, including time in suspend (CLOCK_BOOTTIME).
  static var bootMilliseconds: Int64 {
    let time = read(CLOCK_BOOTTIME)
    return units(per: 1000, seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// Converts a time to a smaller unit. A result that `Int64` cannot represent is clamped.
  ///
  /// - Parameters:
  ///   - unitsPerSecond: A power of ten, at most a billion.
  ///   - nanoseconds: 0 to 999,999,999.
  static func units(per unitsPerSecond: Int64, seconds: Int64, nanoseconds: Int64 = 0) -> Int64 {
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: unitsPerSecond)
    let (sum, sumOverflows) = whole.addingReportingOverflow(nanoseconds / (1_000_000_000 / unitsPerSecond))
    guard overflows || sumOverflows else { return sum }
    return seconds < 0 ? .min : .max
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    // clock_gettime fails only for unknown clocks.
    _ = unsafe clock_gettime(clock, &time)
    return time
  }
}
