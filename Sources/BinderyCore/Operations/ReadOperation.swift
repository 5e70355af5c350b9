public import BinderyDigest
public import BinderyJSON

/// What is wanted of the value at the end of a route, and then what was found.
@usableFromInline
package struct ReadOperation {
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

  /// Writes what follows the slice that was written first, a slice at a time; nil where that was all.
  @usableFromInline package var rest: (@Sendable (inout JSONWriter) -> Void)?

  package init(_ purpose: Purpose, key: DigestKey, writer: JSONWriter = JSONWriter()) {
    self.purpose = purpose
    self.key = key
    self.writer = writer
  }

  /// Writes a text, or the first slice of it.
  @usableFromInline
  mutating func write(_ encode: @escaping @Sendable (inout JSONWriter) -> Void) {
    encode(&writer)
    if writer.hasStopped { rest = encode }
  }

  @usableFromInline
  package mutating func take<Value: Sendable>(_ value: Value, _ shape: Shape<Value>) {
    switch purpose {
    case .digest:
      digest = shape.digest(value, key)
    case .json:
      encode(value, shape)
    case .stored:
      writer.raw(shape.stored(value))
    case .page(let page):
      if let write = shape.operations.page { write(value, page, &self) } else { encode(value, shape) }
    case .digestAndJSON:
      encode(value, shape)
      // A scalar's digest is that of its JSON, which need not be written twice.
      digest = shape.type.isScalar ? key.leaf(writer.bytes.span) : shape.digest(value, key)
    case .equality(let node):
      isEqual = Self.isEqual(value, to: node, shape)
    }
  }

  /// Apart from the others, who need not have the types looked up that this one names.
  @inline(never)
  private static func isEqual<Value: Sendable>(_ value: Value, to node: JSONNode, _ shape: Shape<Value>) -> Bool {
    // What it says of itself is it, whatever is hidden; other spellings are told by decoding them.
    var writer = JSONWriter()
    shape.encode(value, into: &writer)
    if let said = try? JSONDocument(parsing: writer.bytes), said.root.equals(node) { return true }
    var decoding = Decoding(.exact)
    guard let other = try? shape.decode(node, &decoding) else { return false }
    return shape.areSame(value, other)
  }

  private mutating func encode<Value: Sendable>(_ value: Value, _ shape: Shape<Value>) {
    shape.encode(value, into: &writer)
    // The value itself is kept, not the way to it, which may go through getters.
    if writer.hasStopped { rest = { shape.encode(value, into: &$0) } }
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
