#if Macros
/// Declares the shape of a struct or an enum, from its properties or cases.
///
/// It generates `static let shape`, as you would write it by hand, and the conformance to ``Editable``:
///
///     @Editable struct Counter: StateModel {
///       var count = 0
///       @Constrained(.within(1...100)) var step = 1
///       @ComputedFrom(\.count) var isEven: Bool {
///         get { count.isMultiple(of: 2) }
///         set { if newValue != isEven { count &+= 1 } }
///       }
///     }
///
/// In a struct, every stored property is a member. Its initial value is its default in JSON. A `let` is read-only, and
/// a property named `id` is the id. A computed property is a member only with ``ComputedFrom(_:filling:)``.
///
/// In an enum, every case is a case of the shape. For each case with a payload, it also generates a ``EnumCase`` with
/// the same name, for subscripts such as `place[case: Status.inStock]`. Default arguments of payloads are not used in
/// JSON.
@attached(member, names: named(shape), arbitrary)
@attached(extension, conformances: Editable)
public macro Editable() = #externalMacro(module: "BinderyMacroPlugin", type: "EditableMacro")

/// Restricts the values of a stored property, or of the only payload of a case.
///
/// The compiler infers the type of the value from the constraints. If they do not determine it, name it:
/// `@Constrained<Int>(Constraint("an even number") { $0.isMultiple(of: 2) })`.
@attached(peer)
public macro Constrained<Value>(_ constraints: Constraint<Value>...) =
  #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Restricts the number of elements of a stored property, or of the only payload of a case.
@attached(peer)
public macro Constrained(_ constraints: Constraint<[Never]>...) =
  #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Restricts the values of one of several payloads of a case.
///
///     @Constrained(.within(0...9), of: "x")
///     @Constrained(.within(0...9), of: "y")
///     case point(x: Int, y: Int)
@attached(peer)
public macro Constrained<Value>(_ constraints: Constraint<Value>..., of label: String) =
  #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Restricts the number of elements of one of several payloads of a case.
@attached(peer)
public macro Constrained(_ constraints: Constraint<[Never]>..., of label: String) =
  #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Makes a member read-only for clients, after its struct has been created.
@attached(peer)
public macro ReadOnly() = #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Stores a member without a URL, and leaves it out of JSON. It needs an initial value.
@attached(peer)
public macro Hidden() = #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Makes a stored property the id of an element.
@attached(peer)
public macro ID() = #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Makes a stored property the id of an element.
///
/// - Parameter new: Creates the id of a new element if neither the JSON nor the URL contains one.
@attached(peer)
public macro ID<Value>(new: @Sendable () -> Value) =
  #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Makes a computed property a member.
///
/// - Parameters:
///   - sources: The stored members that the getter reads, such as `\.count`, or `\.self` if it may read all of them.
///   - filling: The writes that an optional or a collection accepts.
@attached(peer)
public macro ComputedFrom(
  _ sources: PartialKeyPath<AnyMember>..., filling: ComputedMember<AnyMember>.Filling = .free
) = #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// Sets the name of a member or case in JSON and in paths.
@attached(peer)
public macro Named(_ name: String) = #externalMacro(module: "BinderyMacroPlugin", type: "AttributeMacro")

/// The root of key paths in ``ComputedFrom(_:filling:)``: an attribute does not know the type that it belongs to.
///
/// It has every member, so that the attribute accepts each key path. The macro checks the names.
@dynamicMemberLookup
public struct AnyMember: Sendable {
  /// A member of any name.
  public subscript(dynamicMember name: String) -> AnyMember { self }
}
#endif
