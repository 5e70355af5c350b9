import BinderyMenu
import Testing

/// The page on a phone.
@Suite(.serialized, .needsBrowser)
struct PhoneTests {
  @Test func `the page fits the screen even with a long name`() throws {
    try PageScene.run(.phone) { scene in
      let name = String(repeating: "Spaghettoni", count: 9)
      scene.server.edit(Dishes.parmigiana) { $0.name = name }
      try scene.window.wait(
        for: "document.querySelector('\(Dishes.selector(Dishes.parmigiana)) h3').textContent === '\(name)'")
      #expect(try scene.window.value("innerWidth") == 390)
      #expect(try scene.window.value("document.documentElement.scrollWidth") == 390)
      let width = "getBoundingClientRect().width"
      let row = "document.querySelector('\(Dishes.selector(Dishes.parmigiana))')"
      #expect(try scene.window.value("\(row).querySelector('h3').\(width) > 0.75 * \(row).\(width)"))
    }
  }

  @Test func `all touch targets are at least 44 points high and wide`() throws {
    try PageScene.run(.phone) { scene in
      try scene.window.click("#add")
      try scene.window.wait(for: "document.getElementById('sheet').open")
      let small: [String] = try scene.window.value(
        """
        [...document.querySelectorAll("button, label:has(input), input:not([type=radio], [type=checkbox])")]
          .filter((it) => it.checkVisibility())
          .filter((it) => it.getBoundingClientRect().width < 44 || it.getBoundingClientRect().height < 44)
          .map((it) => it.outerHTML)
        """)
      #expect(small.isEmpty)
    }
  }

  @Test func `all controls have an accessible name`() throws {
    try PageScene.run(.phone) { scene in
      try scene.window.click("#add")
      try scene.window.wait(for: "document.getElementById('sheet').open")
      let nameless: [String] = try scene.window.value(
        """
        [...document.querySelectorAll("button, input")]
          .filter((it) => it.checkVisibility() && !it.ariaLabel && !it.textContent.trim() && !it.labels?.length)
          .map((it) => it.outerHTML)
        """)
      #expect(nameless.isEmpty)
    }
  }
}
