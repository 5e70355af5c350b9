import CBinderyLinux

/// Reports changes of the files in a directory (inotify(7)).
///
/// A write is reported when the writer closes the file, so that files that are written to all the time, such as those
/// of a database, cause no events.
package struct DirectoryWatch: ~Copyable, Sendable {
  /// A change of a file.
  package struct Event: Hashable, Sendable {
    /// The name of the file; nil if events were lost.
    package let name: String?
    /// Whether a program that had opened the file for writing has closed it. Otherwise the name was added or removed.
    package let isWrite: Bool

    package init(name: String?, isWrite: Bool) { (self.name, self.isWrite) = (name, isWrite) }
  }

  let descriptor: Descriptor

  /// Begins to watch a directory.
  ///
  /// - Throws: An error of inotify_init1(2) or inotify_add_watch(2), such as that of a limit of the user.
  package init(_ directory: String) throws(Errno) {
    let flags = Int32(IN_NONBLOCK | IN_CLOEXEC)
    let descriptor = Descriptor(owning: try Errno.check { inotify_init1(flags) })
    let number = descriptor.number
    let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR)
    _ = try Errno.check { unsafe inotify_add_watch(number, directory, mask) }
    self.descriptor = descriptor
  }

  /// Returns the events since the last call, without waiting.
  package func events() -> [Event] {
    var events: [Event] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor.number, $0.baseAddress, $0.count) }
      guard count > 0 else { return events }
      var start = 0
      while start < count {
        // struct inotify_event: wd, mask, cookie, len, and a name of len bytes that is padded with zeros.
        let (mask, length) = unsafe buffer.withUnsafeBytes { bytes in
          unsafe (
            bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
            Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
          )
        }
        let name = buffer[start + 16..<start + 16 + length].prefix { $0 != 0 }
        events.append(
          Event(
            name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self),
            isWrite: mask & UInt32(IN_CLOSE_WRITE) != 0))
        start += 16 + length
      }
    }
  }
}
