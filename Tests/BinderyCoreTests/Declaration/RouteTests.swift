import BinderyCore
import BinderyMenu
import Testing

/// Addresses are resolved against the types, without values.
struct RouteTests {
  static let paths = [
    "", "/dishes", "/dishes/b10de400-0000-8000-8000-000000000002/status/inStock/quantity",
    "/dishes/B10DE400-0000-8000-8000-000000000002/name", "/dishes/x", "/dishes/-", "/dishes/0", "/time/custom",
    "/time/tonight", "/editing", "/editing/some", "/editing/some/name", "/editing/name", "/editing/some/some",
    "/pinnedDish/status/outOfStock/isOnBackOrder", "/days/2026-11-21/isSelected", "/days/2026-13-21", "/evening",
    "/today", "/nope", "/dishesx", "/dishe", "/selectedDayLabel/x",
  ]

  @Test(arguments: paths)
  func `a path and its segments resolve to the same route`(_ path: String) {
    let root = Route.root(Menu.shape.type)
    let plain = root.resolving(plain: path.utf8Span.span)
    let bySegments = root.resolving(path.split(separator: "/").map(String.init), form: .url)
    #expect((plain == nil) == (bySegments == nil))
    #expect(plain?.steps.map(Self.text) == bySegments?.steps.map(Self.text))
    #expect(plain?.target.name == bySegments?.target.name)
    #expect(plain?.isWritable == bySegments?.isWritable)
    #expect(plain?.isComputed == bySegments?.isComputed)
    #expect(plain?.canDelete == bySegments?.canDelete)
  }

  @Test(arguments: ["/", "//", "/byName/", "/byName//x", "//byName", "/byName/a/x/", "byName", "/byName/a//x"])
  func `a path with an empty segment or without a leading slash does not resolve`(_ path: String) {
    let root = Route.root(Shelf.shape.type)
    #expect(root.resolving(plain: "/byName/a/x".utf8Span.span) != nil)
    #expect(root.resolving(plain: path.utf8Span.span) == nil)
  }

  @Test func `names that begin alike lead to different members`() {
    let root = Route.root(Twins.shape.type)
    for (index, name) in ["quantityA", "quantityB", "quantity"].enumerated() {
      #expect(root.resolving(plain: "/\(name)".utf8Span.span)?.steps.map(Self.text) == ["member(\(index))"])
    }
    #expect(root.resolving(plain: "/quantityC".utf8Span.span) == nil)
    #expect(root.resolving(plain: "/quantit".utf8Span.span) == nil)
  }

  private static func text(_ step: Step) -> String {
    if case .key(let key) = step { "key \(key.text)" } else { "\(step)" }
  }
}

/// A struct with members whose names have the same first bytes.
private struct Twins: Editable {
  var quantityA, quantityB, quantity: Int

  static let shape = EditableShape<Twins>.members(
    Twins.init, StoredMember("quantityA", \.quantityA), StoredMember("quantityB", \.quantityB),
    StoredMember("quantity", \.quantity))
}
