package import Digests
package import JSON

/// What is wanted of the value at the end of a route, and then what was found.
package struct Reading {
  package enum Purpose {
    case digest
    case json
    case digestAndJSON
    /// Whether JSON describes the value.
    case equality(JSONNode)
    /// Some of a sequence's elements, in canonical JSON.
    case page(Page)
    /// The value as it is kept.
    case stored
  }

  package let purpose: Purpose
  package let key: DigestKey
  package var writer: JSONWriter
  package var digest: Digest?
  package var isEqual = false
  /// Where the next page begins, after a page that is not the last.
  package var nextAfter: String?
  /// The page was asked to begin after an element that is not there.
  package var hasLostCursor = false

  package init(_ purpose: Purpose, key: DigestKey, writer: JSONWriter = JSONWriter()) {
    self.purpose = purpose
    self.key = key
    self.writer = writer
  }

  mutating func take<Value>(_ value: Value, _ shape: Shape<Value>) {
    switch purpose {
    case .digest:
      digest = shape.digest(value, key)
    case .json:
      shape.encode(value, into: &writer)
    case .stored:
      writer.raw(shape.stored(value))
    case .page(let page):
      if let write = shape.operations.page { write(value, page, &self) } else { shape.encode(value, into: &writer) }
    case .digestAndJSON:
      digest = shape.digest(value, key)
      shape.encode(value, into: &writer)
    case .equality(let node):
      // What it says of itself is it, whatever is hidden; other spellings are told by decoding them.
      var writer = JSONWriter()
      shape.encode(value, into: &writer)
      if let said = try? JSONDocument(parsing: writer.bytes), said.root.equals(node) {
        isEqual = true
        return
      }
      var decoding = Decoding(.exact)
      guard let other = try? shape.decode(node, &decoding) else { return }
      isEqual = shape.areSame(value, other)
    }
  }
}

/// A part of a sequence.
package struct Page: Sendable {
  package let limit: Int
  /// The id behind which the page begins.
  package let after: AnyKey?

  package init(limit: Int, after: AnyKey?) {
    self.limit = limit
    self.after = after
  }
}
