/// A way into one case of an enum and back: the two verbs that a case is made of.
///
/// Laws: `extract(embed(a)) == a`, and where `extract(s) == a`, `embed(a) == s`.
public struct CasePath<Root, Value>: Sendable {
  /// Wraps a payload in the case.
  public let embed: @Sendable (Value) -> Root
  /// The payload, or nil where another case is active.
  public let extract: @Sendable (Root) -> Value?

  @inlinable
  public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
    self.embed = embed
    self.extract = extract
  }

  /// The case of a case: this path, then `inner`.
  @inlinable
  public func appending<Leaf>(_ inner: CasePath<Value, Leaf>) -> CasePath<Root, Leaf> {
    CasePath<Root, Leaf>(
      embed: { embed(inner.embed($0)) },
      extract: { extract($0).flatMap(inner.extract) })
  }
}

extension CasePath where Root == Value {
  /// The path that goes nowhere.
  @inlinable
  public static var identity: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}

extension CasePath {
  /// The `some` of an optional.
  @inlinable
  public static func some() -> CasePath where Root == Value? {
    CasePath(embed: { .some($0) }, extract: { $0 })
  }
}
