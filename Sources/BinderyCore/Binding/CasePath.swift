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
