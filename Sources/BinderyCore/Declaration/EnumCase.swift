import BinderyDigest
import BinderyJSON

/// The declaration of an enum case, used by the enum's shape and by case subscripts.
///
///     enum Status: Editable, Equatable {
///       case inStock(quantity: Int), soldOut
///       static let inStock = EnumCase("inStock", label: "quantity", Status.inStock(quantity:), .atLeast(0)) {
///         if case .inStock(let quantity) = $0 { quantity } else { nil }
///       }
///       static let shape = EditableShape<Status>.cases(inStock, EnumCase("soldOut", Status.soldOut))
///     }
public struct EnumCase<Root: Sendable, Payload: Sendable>: Sendable {
  /// The name of the case in JSON and in paths.
  public let name: String
  /// Extracts and embeds the payload.
  public let path: CasePath<Root, Payload>
  /// The operations of the case, with the payload's type erased.
  @usableFromInline let table: CaseTable<Root>
  /// The shape of the value that `path` extracts; nil for a case without payload.
  @usableFromInline let payload: EditableShape<Payload>?
  /// The label in paths between the case and the extracted value: at most one.
  @usableFromInline let label: [String]

  /// Creates a case without payload of an enum that is `Equatable`.
  ///
  /// The case is active in values that equal `value`, so `==` must tell it from all other cases, as the synthesized
  /// one does. For other enums, use ``init(_:_:extract:)``.
  ///
  /// - Parameters:
  ///   - name: The name of the case in JSON.
  ///   - value: The case itself, with its type: `Status.soldOut`. With `.soldOut` alone, the compiler does not always
  ///     find the type.
  @inlinable
  public init(_ name: String, _ value: Root) where Payload == Void, Root: Equatable {
    self.init(name, value) { $0 == value ? () : nil }
  }

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
  ///   - name: The name of the case in JSON and in paths.
  ///   - embed: Creates the case from a payload, which `extract` must return unchanged.
  ///   - constraints: The conditions on the payload.
  ///   - extract: Returns the payload if the case is active, otherwise nil.
  @inlinable
  public init(
    _ name: String, _ embed: @escaping @Sendable (Payload) -> Root, _ constraints: Constraint<Payload>...,
    extract: @escaping @Sendable (Root) -> Payload?
  ) where Payload: Editable {
    self.init(
      name, CasePath(embed: embed, extract: extract),
      Payload.resolveShape(for: Root.self).constrained(by: constraints), isLabelled: false)
  }

  /// Creates a case with one labelled payload.
  ///
  /// - Parameters:
  ///   - name: The name of the case in JSON and in paths.
  ///   - label: The label of the payload, which follows the name in paths.
  ///   - embed: Creates the case from a payload, which `extract` must return unchanged.
  ///   - constraints: The conditions on the payload.
  ///   - extract: Returns the payload if the case is active, otherwise nil.
  @inlinable
  public init(
    _ name: String, label: String, _ embed: @escaping @Sendable (Payload) -> Root,
    _ constraints: Constraint<Payload>..., extract: @escaping @Sendable (Root) -> Payload?
  ) where Payload: Editable {
    let payload = Payload.resolveShape(for: Root.self).constrained(by: constraints)
    self.init(
      name, CasePath(embed: embed, extract: extract), EditableShape.labelled(label, payload), isLabelled: true,
      label: label, extracted: payload)
  }

  /// Creates a case with several labelled payloads, which are the members of a tuple.
  ///
  ///     EnumCase("point", Cell.point(x:y:), StoredMember("x", \.0), StoredMember("y", \.1, .atLeast(0))) {
  ///       if case .point(let x, let y) = $0 { (x, y) } else { nil }
  ///     }
  ///
  /// - Parameters:
  ///   - name: The name of the case in JSON and in paths.
  ///   - embed: Creates the case from its payloads, which `extract` must return unchanged: the case itself, with its
  ///     labels.
  ///   - labels: The labels with their constraints, in the order of the case. For a single label, use
  ///     ``init(_:label:_:_:extract:)``.
  ///   - extract: Returns the payloads as a tuple if the case is active, otherwise nil.
  @inlinable
  public init<each Part: Editable>(
    _ name: String, _ embed: @escaping @Sendable (repeat each Part) -> Root,
    _ labels: repeat StoredMember<Payload, each Part>, extract: @escaping @Sendable (Root) -> Payload?
  ) where Payload == (repeat each Part) {
    self.init(
      name, CasePath(embed: { payload in embed(repeat each payload) }, extract: extract),
      EditableShape.members({ (parts: repeat each Part) in (repeat each parts) }, repeat each labels), isLabelled: true)
  }

  /// Creates a case with several labelled payloads, described by a struct or by another type with a shape.
  ///
  ///     EnumCase("colored", labels: Colored.shape, { Light.colored(name: $0.name, at: $0.at) }) {
  ///       if case .colored(let name, let at) = $0 { Colored(name: name, at: at) } else { nil }
  ///     }
  ///
  /// - Parameters:
  ///   - name: The name of the case in JSON and in paths.
  ///   - payload: The shape of the struct, whose members are the labels.
  ///   - embed: Creates the case from the struct, which `extract` must return unchanged.
  ///   - extract: Returns the struct if the case is active, otherwise nil.
  @inlinable
  public init(
    _ name: String, labels payload: EditableShape<Payload>, _ embed: @escaping @Sendable (Payload) -> Root,
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
    _ name: String, _ path: CasePath<Root, Payload>, _ payload: EditableShape<Payload>, isLabelled: Bool,
    label: String? = nil, extracted: EditableShape<Payload>? = nil
  ) {
    self.name = name
    self.path = path
    self.table = CaseTable(name, path, payload, isLabelled: isLabelled)
    self.payload = extracted ?? payload
    self.label = label.map { [$0] } ?? []
  }

  /// Returns the error for a value in which another case is active.
  ///
  /// - Parameters:
  ///   - shape: The shape of the enum.
  ///   - depth: The number of steps of the path before the case.
  @usableFromInline
  func absence(in value: Root, _ shape: EditableShape<Root>, depth: Int) -> Absence {
    Absence(.inactiveCase(wanted: name, active: shape.activeCase(of: value) ?? ""), depth: depth)
  }
}
