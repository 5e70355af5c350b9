import Foundation

/// The possible contents of a disk after a power failure, built from the record of a program's calls (Support/disk.c).
///
/// Synced changes (fsync) are durable. Any part of the unsynced changes may be too: writes in any order and torn at a
/// sector boundary; created and removed names in their order. The kernel guarantees no more.
struct DiskImage {
  /// One recorded call of the program.
  struct Event {
    enum Kind {
      case write([UInt8], at: Int)
      case truncate(Int)
      case sync, unlink
    }

    let path: String
    let kind: Kind
    /// The offset in the record where the entry of this event ends.
    let recordEnd: Int
  }

  private final class File {
    /// The synced content.
    var durable: [UInt8] = []
    /// The unsynced changes, oldest first.
    var pending: [Event.Kind] = []
  }

  /// A change of a directory entry, which only an fsync of the folder makes durable.
  private enum DirectoryChange {
    case created(String, File)
    case removed(String)
  }

  /// The files that the program sees, by path.
  private var visible: [String: File] = [:]
  /// The files whose names are durable, by path.
  private var durable: [String: File] = [:]
  /// The unsynced changes of directory entries, oldest first.
  private var pending: [DirectoryChange] = []
  private let folder: String
  /// Whether fsync has no effect, as on some disks. Such an image shows that a test can fail.
  private let ignoresSync: Bool

  init(of folder: String, ignoresSync: Bool = false) {
    self.folder = folder
    self.ignoresSync = ignoresSync
  }

  /// Applies the next event of the record.
  mutating func apply(_ event: Event) {
    switch event.kind {
    case .sync where ignoresSync: break
    case .sync where event.path == folder:
      for change in pending { Self.apply(change, to: &durable) }
      pending = []
    case .sync:
      guard let file = visible[event.path] else { return }
      for change in file.pending { Self.apply(change, to: &file.durable) }
      file.pending = []
    case .unlink:
      visible[event.path] = nil
      pending.append(.removed(event.path))
    case .write, .truncate:
      if visible[event.path] == nil {
        let file = File()
        visible[event.path] = file
        pending.append(.created(event.path, file))
      }
      visible[event.path]?.pending.append(event.kind)
    }
  }

  /// The part of the unsynced changes that is on the disk after a power failure.
  enum UnsyncedChanges: CaseIterable { case none, some, all }

  /// Returns the content of the files after a power failure now, by path.
  func files(_ unsynced: UnsyncedChanges, using random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
    var names = durable
    let count =
      switch unsynced {
      case .none: 0
      case .some: Int.random(in: 0...pending.count, using: &random)
      case .all: pending.count
      }
    for change in pending.prefix(count) { Self.apply(change, to: &names) }
    return names.mapValues { file in
      var bytes = file.durable
      for change in file.pending {
        switch unsynced {
        case .none: break
        case .all: Self.apply(change, to: &bytes)
        case .some: if let part = Self.part(of: change, using: &random) { Self.apply(part, to: &bytes) }
        }
      }
      return bytes
    }
  }

  /// Returns all of a change, nothing, or the first sectors of a write.
  private static func part(of change: Event.Kind, using random: inout some RandomNumberGenerator) -> Event.Kind? {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return nil
    case 1:
      guard case .write(let bytes, let offset) = change, bytes.count > 512 else { return nil }
      return .write(Array(bytes.prefix(512 * Int.random(in: 0...(bytes.count / 512), using: &random))), at: offset)
    default: return change
    }
  }

  private static func apply(_ change: Event.Kind, to bytes: inout [UInt8]) {
    switch change {
    case .write(let new, let offset):
      let end = offset + new.count
      if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
      bytes.replaceSubrange(offset..<end, with: new)
    case .truncate(let length):
      if bytes.count > length {
        bytes.removeLast(bytes.count - length)
      } else {
        bytes += Array(repeating: 0, count: length - bytes.count)
      }
    case .sync, .unlink: break
    }
  }

  private static func apply(_ change: DirectoryChange, to names: inout [String: File]) {
    switch change {
    case .created(let name, let file): names[name] = file
    case .removed(let name): names[name] = nil
    }
  }
}

extension DiskImage.Event {
  /// Reads a record. An incomplete last entry is ignored.
  static func read(_ path: String) throws -> [DiskImage.Event] {
    let data = [UInt8](try Data(contentsOf: URL(filePath: path)))
    var events: [DiskImage.Event] = []
    var index = 0
    /// Returns a little-endian 64-bit number of the current entry's header.
    func number(_ position: Int) -> Int {
      (0..<8).reduce(0) { $0 | Int(data[index + position * 8 + $1]) << (8 * $1) }
    }
    while index + 32 <= data.count {
      let (kindCode, pathLength, length, offset) = (number(0), number(1), number(2), number(3))
      let (start, end) = (index + 32 + pathLength, index + 32 + pathLength + length)
      guard end <= data.count else { break }
      let path = String(decoding: data[index + 32..<start], as: UTF8.self)
      let kind: Kind? =
        switch UInt8(kindCode) {
        case UInt8(ascii: "w"): .write(Array(data[start..<end]), at: offset)
        case UInt8(ascii: "t"): .truncate(offset)
        case UInt8(ascii: "s"): .sync
        case UInt8(ascii: "u"): .unlink
        default: nil
        }
      // SQLite rebuilds the shared-memory index of the WAL after a crash, so its content does not matter.
      if let kind, !path.hasSuffix("-shm") { events.append(DiskImage.Event(path: path, kind: kind, recordEnd: end)) }
      index = end
    }
    return events
  }
}
