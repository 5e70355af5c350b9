import CBinderyLinux

/// The standard streams of the process.
package enum StandardStreams {
  /// Opens `/dev/null` for each standard stream that the parent process has closed.
  ///
  /// Otherwise the next opened files, such as the store, would get the descriptors 0 to 2, and log lines would be
  /// written into them. Must be called before any file is opened.
  ///
  /// - Throws: The error of open(2).
  package static func openMissing() throws(Errno) {
    // open(2) returns the lowest free descriptor, which is the missing one.
    var status = stat()
    for number: Int32 in 0...2 where unsafe fstat(number, &status) == -1 {
      _ = try Errno.check { unsafe bindery_open("/dev/null", O_RDWR, 0) }
    }
  }
}

/// The standard error stream of the process.
package enum StandardError {
  /// Writes an error of one or more lines, each with its priority if the stream goes to the journal of systemd.
  package static func printError(_ text: String) {
    print(isJournal ? "<3>" + text.replacing("\n", with: "\n<3>") : text)
  }

  /// Writes a line in one system call, so that lines of several threads do not mix.
  package static func print(_ line: String) { write(Array((line + "\n").utf8)) }

  /// Whether the stream goes to the journal of systemd, whose lines may begin with a priority (sd-daemon(3)).
  ///
  /// A child process may have the variable and another stream, so the file is compared, too (systemd.exec(5)).
  package static var isJournal: Bool {
    guard let name = Process.environmentVariable("JOURNAL_STREAM"), let status = try? FileStatus(2)
    else { return false }
    return status.identity.isNamed(name)
  }

  /// Writes a line that already ends in a newline, in one system call.
  package static func write(_ line: [UInt8]) {
    // A failure is ignored: there is no other stream to report it to.
    _ = unsafe line.withUnsafeBytes { unsafe CBinderyLinux.write(2, $0.baseAddress, $0.count) }
  }
}

/// The standard output stream of the process.
package enum StandardOutput {
  /// Writes a text completely.
  ///
  /// - Throws: The error of write(2), such as that of a full disk or a closed pipe.
  package static func write(_ text: String) throws(Errno) { try File.writeAll(Array(text.utf8), to: 1) }
}

/// The standard input stream of the process.
package enum StandardInput {
  /// Reads all bytes until the end of the stream.
  ///
  /// - Throws: `.fileTooLarge` if there are more bytes than `limit`.
  package static func readAll(atMost limit: Int) throws(Errno) -> [UInt8] { try File.readAll(from: 0, atMost: limit) }
}
