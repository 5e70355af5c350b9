import BinderyDigest

/// The content of a place, as far as it must be compared: the digest of its value, or its absence.
enum PlaceContent: Hashable {
  case value(Digest)
  /// The place does not exist. All reasons are equal: a changed reason alone is not an event.
  case absent

  /// The content as the tag of an event id.
  var cursor: String {
    switch self {
    case .value(let digest): digest.text
    case .absent: "-"
    }
  }

  /// Parses the tag of an event id. Returns nil for other texts.
  init?(cursor: String) {
    // Compared as bytes, because a client may send many combining marks (`hasTooManyMarks`).
    if cursor.utf8.elementsEqual("-".utf8) {
      self = .absent
    } else if let digest = Digest(text: cursor.utf8Span.span) {
      self = .value(digest)
    } else {
      return nil
    }
  }
}

extension PlaceContent {
  /// All bits set: the place is absent.
  private static let absentDigest = Digest(high: .max, low: .max)

  var cursorDigest: Digest {
    switch self {
    case .value(let digest): digest
    case .absent: Self.absentDigest
    }
  }

  init(cursorDigest: Digest) {
    self = cursorDigest == Self.absentDigest ? .absent : .value(cursorDigest)
  }
}
