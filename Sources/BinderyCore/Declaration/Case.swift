import BinderyDigest
import BinderyJSON

/// The declaration of an enum case, used by the enum's shape and by case subscripts.
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
  /// The name of the case in JSON and in addresses.
  public let name: String
  /// Extracts and embeds the payload.
  public let path: CasePath<Root, Payload>
  /// The operations of the case, with the payload's type erased.
  @usableFromInline let table: CaseTable<Root>
  /// The shape of the value that `path` extracts; nil for a case without payload.
  @usableFromInline let payload: Shape<Payload>?
  /// The label in addresses between the case and the extracted value: at most one.
  @usableFromInline let label: [String]

  /// Creates a case without payload.
  ///
  /// - Parameters:
  ///   - name: The name of the case in JSON.
  ///   - value: The case itself.
  ///   - extract: Returns `()` if the case is active, otherwise nil.
  @inlinable
  public init(_ name: String, _ value: Root, extract: @escaping @Sendable (Root) -> Payload?) where Payload == Void {
    self.name = name
    self.path = CasePath(embed: { value }, extract: extract)
    self.table = CaseTable(name, value, isActive: { extract($0) != nil })
    self.payload = nil
    self.label = []
  }

  /// Creates a case with one unlabelled payload.
  ///
  /// - Parameters:
  ///   - name: The name of the case in JSON and in addresses.
  ///   - embed: Creates the case from a payload.
  ///   - constraints: The conditions on the payload.
  ///   - extract: Returns the payload if the case is active, otherwise nil.
  @inlinable
  public init(
    _ name: String, _ embed: @escaping @Sendable (Payload) -> Root, _ constraints: Constraint<Payload>...,
    extract: @escaping @Sendable (Root) -> Payload?
  ) where Payload: Bindable {
    self.init(
      name, CasePath(embed: embed, extract: extract), Payload.shape.constrained(by: constraints), isLabelled: false)
  }

  /// Creates a case with one labelled payload.
  ///
  /// - Parameters:
  ///   - name: The name of the case in JSON and in addresses.
  ///   - label: The label of the payload, which follows the name in addresses.
  ///   - embed: Creates the case from a payload.
  ///   - constraints: The conditions on the payload.
  ///   - extract: Returns the payload if the case is active, otherwise nil.
  @inlinable
  public init(
    _ name: String, label: String, _ embed: @escaping @Sendable (Payload) -> Root,
    _ constraints: Constraint<Payload>..., extract: @escaping @Sendable (Root) -> Payload?
  ) where Payload: Bindable {
    self.init(
      name, CasePath(embed: embed, extract: extract), Shape.labelled(label, constraints), isLabelled: true,
      label: label, extracted: Payload.shape.constrained(by: constraints))
  }

  /// Creates a case with several labelled payloads, described as the members of a tuple.
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

  /// Creates a case from its path and shape.
  ///
  /// - Parameters:
  ///   - payload: The shape of the payload in JSON.
  ///   - isLabelled: Whether the payload is an object with labels.
  ///   - label: The single label between the case and the extracted value.
  ///   - extracted: The shape of the extracted value; nil if it is `payload`.
  @inlinable
  init(
    _ name: String, _ path: CasePath<Root, Payload>, _ payload: Shape<Payload>, isLabelled: Bool,
    label: String? = nil, extracted: Shape<Payload>? = nil
  ) {
    self.name = name
    self.path = path
    self.table = CaseTable(name, path, payload, isLabelled: isLabelled)
    self.payload = extracted ?? payload
    self.label = label.map { [$0] } ?? []
  }
}
