import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// An event of several places: those that differ from what the stream sent last, all at one revision.
struct SnapshotEvent {
  /// One place that differs.
  struct Change {
    /// The path as the client spelled it.
    let path: String
    let content: PlaceContent
    let json: EncodedPlace
    let isShallow: Bool
    /// The number of elements, if the change is shallow and the value is a collection.
    let elementCount: Int?
  }

  /// The form in which a change shows its place.
  enum Form {
    /// With its value, or the reason why it is absent.
    case whole
    /// Without its value.
    case shallow
    /// Without its value, which does not fit in the event.
    case large
  }

  let revision: Int
  /// The event id; nil if the stream has none.
  let id: [UInt8]?
  let changes: [Change]
  /// The maximum length of the event in bytes. Values that would exceed it are left out.
  let maximumBytes: Int

  /// Measures the values whose length is not known, until they are measured or a slice's length was encoded.
  ///
  /// - Returns: Whether everything is measured, so that ``parts`` can be created.
  func measure() -> Bool {
    var encodedBytes = 0
    var remainingBytes = maximumBytes - fixedBytes
    for change in changes where change.hasValue {
      while let count = change.json.measureSlice(upTo: remainingBytes) {
        encodedBytes += count
        if encodedBytes >= SlicedJSON.sliceBytes { return false }
      }
      if let length = change.json.length, length <= remainingBytes { remainingBytes -= length }
    }
    return true
  }

  /// The event, which is measured. A short one is written at once.
  var event: StreamEvent {
    var event = OutgoingEvent(parts)
    guard isShort else { return .long(event) }
    return .frame(PreparedChunk(event.takePiece().text))
  }

  private var isShort: Bool {
    var length = fixedBytes
    for change in changes where change.hasValue {
      guard let valueLength = change.json.length else { return false }
      length += valueLength
    }
    return length <= StreamEvent.shortBytes
  }

  /// The parts of the event, which is measured. A value that does not fit is replaced by `"large": true`, so that the
  /// snapshot stays complete.
  var parts: [OutgoingEvent.Part] {
    var remainingBytes = maximumBytes - fixedBytes
    var parts = [OutgoingEvent.Part(start)]
    parts.reserveCapacity(changes.count + 2)
    for change in changes {
      var form = Form.whole
      if change.isShallow {
        form = .shallow
      } else if change.hasValue {
        if let length = change.json.length, length <= remainingBytes {
          remainingBytes -= length
        } else {
          form = .large
        }
      }
      parts.append(.change(change, form, isFirst: parts.count == 1))
    }
    parts.append(.text(Self.end))
    return parts
  }

  /// The text before the first change.
  private var start: [UInt8] {
    EventFrame.start(event: nil, id: id) + "{\"revision\":\(revision),\"changes\":[".utf8
  }

  private static let end = Array("]}".utf8) + EventFrame.end

  /// An upper bound of the length of everything but the values.
  private var fixedBytes: Int {
    changes.reduce(start.count + Self.end.count) { $0 + $1.fixedBytes }
  }
}

extension SnapshotEvent.Change {
  /// Whether the change has a value unless it is too long.
  var hasValue: Bool { if case .value = content { !isShallow } else { false } }

  /// Returns the parts of the change.
  func parts(_ form: SnapshotEvent.Form, isFirst: Bool) -> [OutgoingEvent.Part] {
    var text = Array((isFirst ? "{\"path\":" : ",{\"path\":").utf8)
    text.append(contentsOf: name)
    var parts: [OutgoingEvent.Part] = []
    switch (content, form) {
    case (.absent, _):
      text.append(contentsOf: ",\"absent\":".utf8)
      text.append(contentsOf: json.first.chunk.content)
    case (.value, .whole):
      text.append(contentsOf: ",\"value\":".utf8)
      parts = [.text(text), .value(json.start)]
      text = []
    case (.value, .shallow): if let elementCount { text.append(contentsOf: ",\"count\":\(elementCount)".utf8) }
    case (.value, .large): break
    }
    text.append(contentsOf: ",\"etag\":\"".utf8)
    text.append(contentsOf: content.cursor.utf8)
    text.append(contentsOf: form == .large ? "\",\"large\":true}".utf8 : "\"}".utf8)
    parts.append(.text(text))
    return parts
  }

  /// An upper bound of the length of the change without its value.
  fileprivate var fixedBytes: Int {
    let absence = if case .absent = content { json.first.chunk.content.count } else { 0 }
    return name.count + absence + Self.maximumFixedBytes
  }

  /// The length of the longest change without its path, its value and the reason for its absence.
  private static let maximumFixedBytes =
    #",{"path":,"value":,"count":,"etag":"","large":true}"#.utf8.count + "\(Int.max)".utf8.count + Digest.textLength

  /// The path as a JSON string. The root is named `/`.
  private var name: [UInt8] { JSONWriter.quoted(path.isEmpty ? "/" : path) }
}
