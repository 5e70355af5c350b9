public import Digests
public import JSON

/// What is wanted of the value at the end of a route, and then what was found.
@usableFromInline
package struct Reading {
  @usableFromInline
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

  @usableFromInline package let purpose: Purpose
  @usableFromInline package let key: DigestKey
  @usableFromInline package var writer: JSONWriter
  @usableFromInline package var digest: Digest?
  @usableFromInline package var isEqual = false
  /// Where the next page begins, after a page that is not the last.
  @usableFromInline package var nextAfter: String?
  /// The page was asked to begin after an element that is not there.
  @usableFromInline package var hasLostCursor = false

  package init(_ purpose: Purpose, key: DigestKey, writer: JSONWriter = JSONWriter()) {
    self.purpose = purpose
    self.key = key
    self.writer = writer
  }

  @usableFromInline
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
      shape.encode(value, into: &writer)
      // A scalar's digest is that of its JSON, which need not be written twice.
      let isScalar = if case .scalar = shape.type.kind { true } else { false }
      digest = isScalar ? key.leaf(writer.bytes.span) : shape.digest(value, key)
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
@usableFromInline
package struct Page: Sendable {
  @usableFromInline package let limit: Int
  /// The id behind which the page begins.
  @usableFromInline package let after: AnyKey?

  package init(limit: Int, after: AnyKey?) {
    self.limit = limit
    self.after = after
  }
}
