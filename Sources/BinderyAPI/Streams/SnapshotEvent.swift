import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// An event of several places: those that differ from what the stream sent last, all at one revision.
struct SnapshotEvent {
  /// One place that differs.
  struct Change {
    /// The path as the client spelled it.
    let path: String
    let content: WatchedPlace.Content
    let json: EncodedPlace
  }

  let revision: Int
  let id: [UInt8]
  let changes: [Change]
  /// The maximum length of the event in bytes. Values that would exceed it are left out.
  let maximumBytes: Int

  /// Measures one more slice of the values whose length is not known.
  ///
  /// - Returns: Whether everything is measured, so that ``parts`` can be created.
  func measureSlice() -> Bool { changes.allSatisfy { $0.json.measureSlice(upTo: maximumBytes) } }

  /// The parts of the event. A value that does not fit is replaced by `"large": true`, so that the snapshot stays
  /// complete.
  var parts: [OutgoingEvent.Part] {
    var parts: [OutgoingEvent.Part] = []
    var text = EventFrame.start(event: nil, id: id)
    text.append(contentsOf: "{\"revision\":\(revision),\"changes\":[".utf8)
    var remainingBytes = maximumBytes - text.count - fixedBytes
    for (index, change) in changes.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: "{\"path\":".utf8)
      text.append(contentsOf: change.name)
      guard case .value(let digest) = change.content else {
        text.append(contentsOf: ",\"absent\":".utf8)
        text.append(contentsOf: change.json.first.chunk.content)
        text.append(UInt8(ascii: "}"))
        continue
      }
      var isLarge = true
      if let length = change.json.length, length <= remainingBytes {
        isLarge = false
        remainingBytes -= length
        text.append(contentsOf: ",\"value\":".utf8)
        if length <= StreamEvent.shortBytes {
          text.append(contentsOf: change.json.first.chunk.content)
        } else {
          parts += [.init(text), .value(change.json.start)]
          text = []
        }
      }
      text.append(contentsOf: ",\"etag\":\"".utf8)
      digest.write(into: &text)
      text.append(contentsOf: isLarge ? "\",\"large\":true}".utf8 : "\"}".utf8)
    }
    text.append(contentsOf: "]}".utf8)
    text.append(contentsOf: EventFrame.end)
    parts.append(.init(text))
    return parts
  }

  /// The length of everything but the start and the values.
  private var fixedBytes: Int {
    changes.reduce(EventFrame.end.count + 2) { sum, change in
      let absence = if case .absent = change.content { change.json.first.chunk.content.count } else { 0 }
      return sum + change.name.count + absence + Self.maximumChangeBytes
    }
  }

  /// The length of the longest change without its path and its value.
  private static let maximumChangeBytes =
    #",{"path":,"value":,"etag":"","large":true}"#.utf8.count + Digest.textLength
}

extension SnapshotEvent.Change {
  /// The path as a JSON string. The root is named `/`.
  fileprivate var name: [UInt8] {
    var writer = JSONWriter()
    writer.string(path.isEmpty ? "/" : path)
    return writer.bytes
  }
}
