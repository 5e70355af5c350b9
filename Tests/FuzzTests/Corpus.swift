import BinderyFuzzTargets
import Foundation

/// The fuzzing inputs in the repository, and the dictionary words for mutations.
enum Corpus {
  private static let folder = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz")

  /// Returns the inputs of a target, sorted by name.
  static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: "Corpus/\(target.rawValue)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, Array(try Data(contentsOf: folder.appending(path: $0))))
    }
  }

  /// Returns the words of all dictionaries.
  ///
  /// libFuzzer's syntax has one quoted word per line, with `\xAB` for a byte.
  static func words() throws -> [[UInt8]] {
    let folder = folder.appending(path: "Dictionaries")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap { name in
      try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("\"") }.map { unquoted($0.dropFirst().dropLast()) }
    }
  }

  /// Returns the bytes of a word without its escapes.
  private static func unquoted(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      if escape == UInt8(ascii: "x") {
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(escape)
      }
    }
    return bytes
  }
}
