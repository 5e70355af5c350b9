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
    Case("empty", .empty) { if case .empty = $0 { () } else { nil } },
    Case("full", Box.full) { if case .full(let it) = $0 { it } else { nil } },
    Case(
      "point", labels: .members({ ($0, $1) }, Member("x", \(Int, Int).0), Member("y", \(Int, Int).1)),
      { Box.point(x: $0.0, y: $0.1) }, extract: { if case .point(let x, let y) = $0 { (x, y) } else { nil } }))
}
