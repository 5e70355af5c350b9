public import BinderyDigest
public import BinderyJSON

/// The computation of a value's digest. The JSON of all parts without collections is written to one buffer.
@usableFromInline
package struct DigestContext {
  @usableFromInline let key: DigestKey
  @usableFromInline var writer: JSONWriter

  /// Creates a context.
  ///
  /// - Parameter buffer: an array whose storage is reused.
  @usableFromInline
  init(_ key: DigestKey, reusing buffer: consuming [UInt8] = []) {
    self.key = key
    writer = JSONWriter(reusing: buffer)
    writer.reserveShortText()
  }

  /// Returns the digest of a value's JSON.
  @inlinable
  mutating func json<Value>(_ value: Value, _ encode: (Value, inout JSONWriter) -> Void) -> Digest {
    let start = writer.beginText()
    encode(value, &writer)
    return key.leaf(writer.bytes.span.extracting(droppingFirst: start))
  }

  /// Returns the digest of an object with one member.
  @inlinable
  mutating func object(_ name: NameDigest, _ member: (inout DigestContext) -> Digest) -> Digest {
    key.object(count: 1) { parts in
      parts.append(name.digest(key))
      parts.append(member(&self))
    }
  }
}
