import BinderyCore
import BinderyMenu
import Testing

/// Addresses resolved against the types alone.
struct RouteTests {
  static let paths = [
    "", "/dishes", "/dishes/b10de400-0000-8000-8000-000000000002/status/inStock/quantity",
    "/dishes/B10DE400-0000-8000-8000-000000000002/name", "/dishes/x", "/dishes/-", "/dishes/0", "/time/custom",
    "/time/tonight", "/editing", "/editing/some", "/editing/some/name", "/editing/name", "/editing/some/some",
    "/pinnedDish/status/outOfStock/isOnBackOrder", "/days/2026-11-21/isSelected", "/days/2026-13-21", "/evening",
    "/today", "/nope", "/dishesx", "/dishe", "/selectedDayLabel/x",
  ]

  @Test(arguments: paths)
  func `a path and its segments lead to one place`(_ path: String) {
    let root = Route.root(Menu.shape.type)
    let plain = root.resolving(plain: path.utf8Span.span)
    let known = root.resolving(path.split(separator: "/").map(String.init), form: .url)
    #expect((plain == nil) == (known == nil))
    #expect(plain?.steps.map(Self.text) == known?.steps.map(Self.text))
    #expect(plain?.target.name == known?.target.name)
    #expect(plain?.isWritable == known?.isWritable)
    #expect(plain?.isComputed == known?.isComputed)
    #expect(plain?.canDelete == known?.canDelete)
  }

  @Test(arguments: ["/", "//", "/byName/", "/byName//x", "//byName", "/byName/a/x/", "byName", "/byName/a//x"])
  func `a segment that is empty, or has no slash, leads nowhere`(_ path: String) {
    let root = Route.root(Shelf.shape.type)
    #expect(root.resolving(plain: "/byName/a/x".utf8Span.span) != nil)
    #expect(root.resolving(plain: path.utf8Span.span) == nil)
  }

  private static func text(_ step: Step) -> String {
    if case .key(let key) = step { "key \(key.text)" } else { "\(step)" }
  }
}
