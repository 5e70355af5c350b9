import BinderyCore

/// A model whose dictionary keys and strings need quoting in URLs and shells.
struct Shelf: Model {
  var boxes: [String: Box]
  var counter = 0

  static let shape = Shape<Shelf>.members(
    Shelf.init(boxes:counter:), Member("boxes", \.boxes), Member("counter", \.counter))
}

enum Box: Hashable, Bindable {
  case empty
  case full(String)
  case point(x: Int, y: Int)

  static let shape = Shape<Box>.cases(
    Case("empty", Box.empty),
    Case("full", Box.full) { if case .full(let it) = $0 { it } else { nil } },
    Case("point", Box.point(x:y:), Member("x", \.0), Member("y", \.1)) {
      if case .point(let x, let y) = $0 { (x, y) } else { nil }
    })
}
