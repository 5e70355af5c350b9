import BinderyCore

/// A model whose dictionary keys and strings need quoting in URLs and shells.
struct Shelf: StateModel {
  var boxes: [String: Box]
  var counter = 0

  static let shape = EditableShape<Shelf>.members(
    Shelf.init(boxes:counter:), StoredMember("boxes", \.boxes), StoredMember("counter", \.counter))
}

enum Box: Hashable, Editable {
  case empty
  case full(String)
  case point(x: Int, y: Int)

  static let shape = EditableShape<Box>.cases(
    EnumCase("empty", Box.empty),
    EnumCase("full", Box.full) { if case .full(let it) = $0 { it } else { nil } },
    EnumCase("point", Box.point(x:y:), StoredMember("x", \.0), StoredMember("y", \.1)) {
      if case .point(let x, let y) = $0 { (x, y) } else { nil }
    })
}
