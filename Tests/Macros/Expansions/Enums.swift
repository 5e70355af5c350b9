import Bindery

@Editable
enum Switch { case on, off }

@Editable
public enum Status: Hashable {
  @Constrained(.atLeast(1)) case inStock(quantity: Int)
  case outOfStock(isOnBackOrder: Bool)
  @Named("sold_out") case soldOut
}

/// It is not `Equatable`, so cases without payload have closures.
@Editable
enum Time {
  case `default`
  @Constrained(.within(0...9)) case after(Int)
}

@Editable
package enum Cell: Equatable {
  case empty
  @Constrained(.within(0...9), of: "x")
  @Constrained(.within(0...9), of: "in")
  case point(x: Int, in: Int, note: String?)
}

@Editable
public enum Size: String, CaseIterable {
  case small
  case large = "big"
}

@Editable
enum Never {}
