import CBinderyLinux

/// The standard error stream of the process.
package enum StandardError {
  /// Writes a line in one system call, so that lines of several threads do not mix.
  package static func print(_ line: String) { write(Array((line + "\n").utf8)) }

  /// Writes a line that already ends in a newline, in one system call.
  package static func write(_ line: [UInt8]) {
    // A failure is ignored: there is no other stream to report it to.
    _ = unsafe line.withUnsafeBytes { unsafe CBinderyLinux.write(2, $0.baseAddress, $0.count) }
  }
}

/// The standard input stream of the process.
package enum StandardInput {
  /// Reads all bytes until the end of the stream.
  package static func readAll() throws(Errno) -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try Errno.check {
        unsafe chunk.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
      }
      if count == 0 { return all }
      all += chunk[..<count]
    }
  }
}
