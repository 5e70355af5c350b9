import BinderyCore
import Testing

/// Restoring values whose property observers change other values, or their own.
struct ObserverTests {
  @Test func `observers do not run again when a revision is restored or undone`() throws {
    let pages = [
      Page(slug: "a", name: "A", edits: 1, level: 2, size: 3),
      Page(slug: "start", name: "Home", edits: 1, level: 2, size: 3),
      Page(slug: "a", name: "Home", edits: 9, level: 7, size: 8),
      Page(slug: "b", name: "A", edits: 2, level: 7, size: 3),
    ]
    for before in pages {
      for after in pages where after != before {
        try expectRestored(before, after)
        try expectRestored(Site(page: before, pages: [1: before]), Site(page: after, pages: [1: after]))
      }
    }
  }

  @Test func `a struct with observers is replaced as a whole without them`() throws {
    let (before, after) = (Page(), Page(slug: "s", name: "N", edits: 5, level: 6, size: 7))
    var page = before
    let value = String(decoding: Page.shape.stored(after), as: UTF8.self)
    let patch = #"[{"op":"replace","path":"","value":\#(value)}]"#
    try Page.shape.restore(&page, try StoredPatch(parsing: Array(patch.utf8)))
    #expect(page == after)
  }

  /// Expects that the stored differences of two values lead from one to the other, and back.
  private func expectRestored<Value: Editable & Equatable & Sendable>(_ before: Value, _ after: Value) throws {
    for (old, new) in [(before, after), (after, before)] {
      var difference = PatchBuilder(.stored)
      Value.shape.difference(from: old, to: new, &difference)
      var restored = old
      try Value.shape.restore(&restored, try StoredPatch(parsing: difference.finish()))
      #expect(restored == new)
    }
  }
}

/// A value whose observers change other members before and after them, and themselves.
private struct Page: Editable, Equatable {
  var slug = ""
  var name = "" {
    didSet {
      slug = name.lowercased()
      edits += 1
    }
  }
  var edits = 0
  var level = 0 { didSet { level += 1 } }
  var size = 0 {
    didSet { level = 50 }
  }

  static let shape = EditableShape<Page>.members(
    Page.init(slug:name:edits:level:size:), StoredMember("slug", \.slug), StoredMember("name", \.name),
    StoredMember("edits", \.edits), StoredMember("level", \.level), StoredMember("size", \.size))
}

private struct Site: Editable, Equatable {
  var page: Page
  var pages: [Int: Page]

  static let shape = EditableShape<Site>.members(
    Site.init(page:pages:), StoredMember("page", \.page), StoredMember("pages", \.pages))
}
