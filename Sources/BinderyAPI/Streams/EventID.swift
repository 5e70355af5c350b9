import BinderyCore

/// The version of the state that an event shows. The second part of each event id.
struct StateVersion {
  let revision: Int
  let history: HistoryID
}

/// The `id:` of an event: a tag, which identifies the content of the event, and the version of the state that it shows.
///
/// The client sends it back as `Last-Event-ID`. The tag decides which event comes next. The version tells a server
/// that may be behind the one that sent the event what the client has seen; the only server of a store is never
/// behind.
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

  /// Returns the tag of an id. A tag alone is an id, too.
  static func tag(of id: String) -> String { String(decoding: id.utf8.prefix { $0 != separator }, as: UTF8.self) }
}
