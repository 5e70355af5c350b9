public import BinderyCore

/// Whether a dish can be had.
public enum Status: Hashable, Bindable {
  case inStock(quantity: Int)
  case outOfStock(isOnBackOrder: Bool)

  public static let inStock = Case("inStock", label: "quantity", Status.inStock(quantity:), .atLeast(1)) {
    if case .inStock(let quantity) = $0 { quantity } else { nil }
  }
  public static let outOfStock = Case("outOfStock", label: "isOnBackOrder", Status.outOfStock(isOnBackOrder:)) {
    if case .outOfStock(let isOnBackOrder) = $0 { isOnBackOrder } else { nil }
  }
  public static let shape = Shape<Status>.cases(inStock, outOfStock)
}
