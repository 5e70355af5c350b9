import BinderyJSON

/// JSON Pointer spelling (RFC 6901 §3).
@usableFromInline
package enum Pointer {
  package static func text(_ segments: some Sequence<String>) -> String {
    var text = ""
    for segment in segments {
      text += "/"
      text += escaped(segment)
    }
    return text
  }

  package static func escaped(_ segment: String) -> String {
    guard segment.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return segment }
    var text = ""
    for scalar in segment.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// A segment with its slash, as it stands in a string in JSON.
  @usableFromInline
  static func json(_ segment: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.string("/" + escaped(segment))
    return Array(writer.bytes.dropFirst().dropLast())
  }

  /// Whether bytes behind the first stand in a pointer and in JSON for themselves.
  @usableFromInline
  static func isPlain(_ bytes: [UInt8]) -> Bool {
    bytes.dropFirst().allSatisfy {
      $0 >= UInt8(ascii: " ") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "~") && $0 != UInt8(ascii: "\"")
        && $0 != UInt8(ascii: "\\")
    }
  }

  /// The segments of a pointer; nil where it does not begin with a slash or has a bad escape.
  package static func segments(of text: String) -> [String]? {
    guard !text.isEmpty else { return [] }
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    var segments: [String] = []
    for raw in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let segment = unescaped(raw) else { return nil }
      segments.append(segment)
    }
    return segments
  }

  /// Undoes `~0` and `~1`, which is done after percent-decoding and once; nil for any other use of the tilde.
  package static func unescaped(_ raw: some Collection<UInt8>) -> String? {
    guard raw.contains(UInt8(ascii: "~")) else { return String(validating: raw, as: UTF8.self) }
    var bytes: [UInt8] = []
    var iterator = raw.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch iterator.next() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension Key {
  /// The segment of a pointer that names an element by this key, as ``Pointer/json(_:)`` spells it.
  @inlinable var segment: [UInt8] {
    var bytes = [UInt8(ascii: "/")]
    write(keyTextInto: &bytes)
    return Pointer.isPlain(bytes) ? bytes : Pointer.json(keyText)
  }
}
