import BinderyDigest
import BinderyJSON

/// A case of an enum: declared once, it serves the shape and the case subscript.
///
///     enum Status: Bindable {
///       case inStock(quantity: Int), soldOut
///       static let inStock = Case("inStock", label: "quantity", Status.inStock(quantity:), .atLeast(0)) {
///         if case .inStock(let quantity) = $0 { quantity } else { nil }
///       }
///       static let shape = Shape<Status>.cases(
///         inStock, Case("soldOut", .soldOut) { if case .soldOut = $0 { () } else { nil } })
///     }
public struct Case<Root: Sendable, Payload: Sendable>: Sendable {
  public let name: String
  public let path: CasePath<Root, Payload>
  @usableFromInline let table: CaseTable<Root>
  /// The shape of what the case path speaks of; nil where there is none.
  @usableFromInline let payload: Shape<Payload>?
  /// The one label of the payload, between the case and what the case path speaks of.
  @usableFromInline let label: [String]

  /// A case without payload.
  @inlinable
  public init(_ name: String, _ value: Root, extract: @escaping @Sendable (Root) -> Payload?) where Payload == Void {
    self.name = name
    self.path = CasePath(embed: { value }, extract: extract)
    self.table = CaseTable(name, value, isActive: { extract($0) != nil })
    self.payload = nil
    self.label = []
  }

  /// A case with one unlabelled payload.
  @inlinable
  public init(
    _ name: String, _ embed: @escaping @Sendable (Payload) -> Root, _ constraints: Constraint<Payload>...,
    extract: @escaping @Sendable (Root) -> Payload?
  ) where Payload: Bindable {
    self.init(
      name, CasePath(embed: embed, extract: extract), Payload.shape.constrained(by: constraints), isLabelled: false)
  }

  /// A case whose one payload has a label.
  @inlinable
  public init(
    _ name: String, label: String, _ embed: @escaping @Sendable (Payload) -> Root,
    _ constraints: Constraint<Payload>..., extract: @escaping @Sendable (Root) -> Payload?
  ) where Payload: Bindable {
    self.init(
      name, CasePath(embed: embed, extract: extract), Shape.labelled(label, constraints), isLabelled: true,
      label: label, inside: Payload.shape.constrained(by: constraints))
  }

  /// A case with several labelled payloads, described as the members of a tuple.
  ///
  ///     Case(
  ///       "at", labels: .members({ ($0, $1) }, Member("x", \.0), Member("y", \.1)), { .at(x: $0.0, y: $0.1) }
  ///     ) { … }
  @inlinable
  public init(
    _ name: String, labels payload: Shape<Payload>, _ embed: @escaping @Sendable (Payload) -> Root,
    extract: @escaping @Sendable (Root) -> Payload?
  ) {
    self.init(name, CasePath(embed: embed, extract: extract), payload, isLabelled: true)
  }

  @inlinable
  init(
    _ name: String, _ path: CasePath<Root, Payload>, _ payload: Shape<Payload>, isLabelled: Bool,
    label: String? = nil, inside: Shape<Payload>? = nil
  ) {
    self.name = name
    self.path = path
    self.table = CaseTable(name, path, payload, isLabelled: isLabelled)
    self.payload = inside ?? payload
    self.label = label.map { [$0] } ?? []
  }
}
