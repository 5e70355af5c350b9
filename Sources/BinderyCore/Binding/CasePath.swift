/// Extracts and embeds the payload of one enum case.
///
/// Laws: `extract(embed(a)) == a`; and if `extract(s) == a`, then `embed(a) == s`.
public struct CasePath<Root, Value>: Sendable {
  /// Returns the case with a payload.
  public let embed: @Sendable (Value) -> Root
  /// Returns the payload, or nil if another case is active.
  public let extract: @Sendable (Root) -> Value?

  /// Creates a path from its two functions.
  @inlinable
  package init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
    self.embed = embed
    self.extract = extract
  }

  /// Returns the path of a case within this case's payload.
  @inlinable
  public func appending<Leaf>(_ inner: CasePath<Value, Leaf>) -> CasePath<Root, Leaf> {
    CasePath<Root, Leaf>(
      embed: { embed(inner.embed($0)) },
      extract: { extract($0).flatMap(inner.extract) })
  }
}

extension CasePath where Root == Value {
  /// The path from a value to itself.
  @inlinable
  package static var identity: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}

extension CasePath {
  /// Returns the path of the `some` case of an optional.
  @inlinable
  package static func some() -> CasePath where Root == Value? {
    CasePath(embed: { .some($0) }, extract: { $0 })
  }
}
