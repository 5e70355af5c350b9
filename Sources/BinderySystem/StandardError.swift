import CBinderyLinux

/// The process's standard error, for one line at a time.
package enum StandardError {
  /// Writes a line in one call, so that lines of several threads do not mix.
  package static func print(_ line: String) { write(Array((line + "\n").utf8)) }

  /// Writes a line that has its end, in one call.
  package static func write(_ line: [UInt8]) {
    // Nobody can be told when standard error is gone.
    _ = unsafe line.withUnsafeBytes { unsafe CBinderyLinux.write(2, $0.baseAddress, $0.count) }
  }
}
