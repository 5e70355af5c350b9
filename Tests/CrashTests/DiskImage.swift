import Foundation

/// What a disk holds when the power goes, built from the record of what a program did (Support/disk.c).
///
/// What was waited for (fsync) is there. Of the rest any part may be: writes in any order, torn at a sector; names made or
/// removed, in their order. The kernel promises no more.
struct DiskImage {
  /// One thing that the program did.
  struct Event {
    enum Kind {
      case write([UInt8], at: Int)
      case truncate(Int)
      case sync, unlink
    }

    let path: String
    let kind: Kind
    /// Where its entry in the record ends.
    let end: Int
  }

  private final class File {
    /// What is on the disk for sure.
    var durable: [UInt8] = []
    var pending: [Event.Kind] = []
  }

  private enum Naming {
    case made(String, File)
    case removed(String)
  }

  /// What the program sees, and what the disk knows for sure.
  private var visible: [String: File] = [:]
  private var durable: [String: File] = [:]
  private var pending: [Naming] = []
  private let folder: String
  /// A disk that takes fsync for nothing, as some do: a test that cannot fail is none.
  private let isLying: Bool

  init(of folder: String, isLying: Bool = false) {
    self.folder = folder
    self.isLying = isLying
  }

  mutating func apply(_ event: Event) {
    switch event.kind {
    case .sync where isLying: break
    case .sync where event.path == folder:
      for naming in pending { Self.apply(naming, to: &durable) }
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
        pending.append(.made(event.path, file))
      }
      visible[event.path]?.pending.append(event.kind)
    }
  }

  /// How much of what was not waited for is there.
  enum Luck: CaseIterable { case none, some, all }

  /// The files as the power cut leaves them, by their names.
  func files(_ luck: Luck, using random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
    var names = durable
    let kept =
      switch luck {
      case .none: 0
      case .some: Int.random(in: 0...pending.count, using: &random)
      case .all: pending.count
      }
    for naming in pending.prefix(kept) { Self.apply(naming, to: &names) }
    return names.mapValues { file in
      var bytes = file.durable
      for change in file.pending {
        switch luck {
        case .none: break
        case .all: Self.apply(change, to: &bytes)
        case .some: if let part = Self.part(of: change, using: &random) { Self.apply(part, to: &bytes) }
        }
      }
      return bytes
    }
  }

  /// All of a change, nothing, or the sectors that came to pass.
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

  private static func apply(_ naming: Naming, to names: inout [String: File]) {
    switch naming {
    case .made(let name, let file): names[name] = file
    case .removed(let name): names[name] = nil
    }
  }
}

extension DiskImage.Event {
  /// Reads a record; an entry that was not finished is left out.
  static func read(_ record: String) throws -> [DiskImage.Event] {
    let data = [UInt8](try Data(contentsOf: URL(filePath: record)))
    var events: [DiskImage.Event] = []
    var index = 0
    func number(_ position: Int) -> Int {
      (0..<8).reduce(0) { $0 | Int(data[index + position * 8 + $1]) << (8 * $1) }
    }
    while index + 32 <= data.count {
      let (what, pathLength, length, offset) = (number(0), number(1), number(2), number(3))
      let (start, end) = (index + 32 + pathLength, index + 32 + pathLength + length)
      guard end <= data.count else { break }
      let path = String(decoding: data[index + 32..<start], as: UTF8.self)
      let kind: Kind? =
        switch UInt8(what) {
        case UInt8(ascii: "w"): .write(Array(data[start..<end]), at: offset)
        case UInt8(ascii: "t"): .truncate(offset)
        case UInt8(ascii: "s"): .sync
        case UInt8(ascii: "u"): .unlink
        default: nil
        }
      // The shared memory of the journal's index is no file to a disk, and the lock file is always empty.
      if let kind, !path.hasSuffix("-shm") { events.append(DiskImage.Event(path: path, kind: kind, end: end)) }
      index = end
    }
    return events
  }
}
