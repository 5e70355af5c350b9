import BinderyCore

/// A version of the state: the one that an event shows, or one that a client has seen.
struct StateVersion: Hashable {
  let revision: Int
  let history: HistoryID
}

extension StateVersion {
  /// Creates a version from its texts; nil if they are malformed.
  init?(revision: some StringProtocol, history: some StringProtocol) {
    guard let revision = Int(revision), let history = HistoryID(String(history)) else { return nil }
    self.init(revision: revision, history: history)
  }
}

/// The `id:` of an event: a tag, which identifies the content of the event, and the version of the state that it shows.
///
/// The client sends it back as `Last-Event-ID`. The tag decides which event comes next. The version tells a server
/// that may be behind the one that sent the event what the client has seen (``PendingReads``); the only server of a
/// store is never behind.
enum EventID {
  private static let separator = UInt8(ascii: "~")

  /// Returns the id `TAG~REVISION~HISTORY`.
  static func bytes(_ tag: some Sequence<UInt8>, _ version: StateVersion) -> [UInt8] {
    var bytes = Array(tag)
    bytes.append(separator)
    bytes.append(contentsOf: String(version.revision).utf8)
    bytes.append(separator)
    bytes.append(contentsOf: version.history.text.utf8)
    return bytes
  }

  /// Returns the tag of an id. A tag alone is an id, too, with or without the quotes of the field `ETag`.
  static func tag(of id: String) -> String {
    let tag = id.utf8.prefix { $0 != separator }
    let quote = UInt8(ascii: "\"")
    guard tag.count >= 2, tag.first == quote, tag.last == quote else { return String(decoding: tag, as: UTF8.self) }
    return String(decoding: tag.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Returns the version in an id; nil if it has none.
  static func version(of id: String) -> StateVersion? {
    let parts = id.utf8.split(separator: separator, omittingEmptySubsequences: false).map(Substring.init)
    return parts.count == 3 ? StateVersion(revision: parts[1], history: parts[2]) : nil
  }
}
