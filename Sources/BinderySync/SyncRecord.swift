import BinderyCryptography
import BinderyJSON
import BinderySystem
import BinderyText

/// A file next to the store that records which text of the data file belongs to which revision of the store.
///
/// After a restart it shows whether the data file, the store, or both have changed.
struct SyncRecord: Sendable {
  /// A text of the data file and the revision that it describes.
  struct Version: Sendable, Equatable {
    /// The SHA-256 digest of the text, in hexadecimal.
    let digest: String
    let revision: Int
    /// The history that the revision belongs to: after a restore, its number may be that of another one.
    let history: String
  }

  /// The path of the record; nil to keep it in memory only, for a store in memory.
  private let path: String?
  /// The name of the data file. The record of another file is ignored.
  private let name: String
  /// The last version, or two while the data file is being replaced.
  private(set) var versions: [Version] = []

  /// Reads the record. One that is missing or damaged is empty.
  init(_ path: String?, ofFile name: String) {
    (self.path, self.name) = (path, name)
    guard let path, let content = try? File.read(path).content, let root = try? JSONDocument(parsing: content).root,
      root["file"]?.string == name
    else { return }
    versions = (root["versions"].map { Array($0.elements) } ?? []).compactMap { node in
      guard let digest = node["sha256"]?.string, let history = node["history"]?.string,
        case .value(let revision)? = node["revision"]?.integer()
      else { return nil }
      return Version(digest: digest, revision: Int(revision), history: history)
    }
  }

  /// Returns the version with a text; nil if the record does not contain it.
  func version(of text: [UInt8]) -> Version? {
    let digest = Self.digest(of: text)
    return versions.first { $0.digest == digest }
  }

  /// Replaces the versions, durably.
  mutating func save(_ versions: [Version]) throws(Errno) {
    guard versions != self.versions else { return }
    if let path { try write(versions, to: path) }
    self.versions = versions
  }

  private func write(_ versions: [Version], to path: String) throws(Errno) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("file", name)
    writer.key("versions")
    writer.beginArray()
    for version in versions {
      writer.beginObject()
      writer.member("sha256", version.digest)
      writer.member("revision", Int64(version.revision))
      writer.member("history", version.history)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    try File.write(writer.bytes + [UInt8(ascii: "\n")], to: path, permissions: 0o600)
  }

  static func digest(of text: [UInt8]) -> String {
    SHA256.digest(text).hexadecimal
  }
}
