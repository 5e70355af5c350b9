public import Bindery

/// The availability of a dish.
public enum Status: Hashable, Editable {
  case inStock(quantity: Int)
  case outOfStock(isOnBackOrder: Bool)

  /// The case `inStock` with its quantity.
  public static let inStock = EnumCase("inStock", label: "quantity", Status.inStock(quantity:), .atLeast(1)) {
    if case .inStock(let quantity) = $0 { quantity } else { nil }
  }
  /// The case `outOfStock` with its back order flag.
  public static let outOfStock = EnumCase("outOfStock", label: "isOnBackOrder", Status.outOfStock(isOnBackOrder:)) {
    if case .outOfStock(let isOnBackOrder) = $0 { isOnBackOrder } else { nil }
  }
  public static let shape = EditableShape<Status>.cases(inStock, outOfStock)
}
