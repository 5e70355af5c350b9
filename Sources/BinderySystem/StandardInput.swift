import CBinderyLinux

/// The process's standard input.
package enum StandardInput {
  /// Reads to the end.
  package static func readAll() throws(Errno) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try Errno.check {
        unsafe piece.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
      }
      if count == 0 { return all }
      all += piece[..<count]
    }
  }
}
