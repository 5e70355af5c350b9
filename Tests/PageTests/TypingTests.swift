import BinderyMenu
import Testing

/// Unsaved input is neither overwritten nor lost.
@Suite(.serialized, .needsBrowser)
struct TypingTests {
  private static let quantity = Dishes.selector(Dishes.parmigiana, "quantity")

  @Test func `input is preserved while other clients change the dish`() throws {
    try PageScene.run { scene in
      let name = "document.querySelector('\(Dishes.selector(Dishes.parmigiana)) h3')"
      // An empty field is an incomplete number, which is never sent.
      try scene.window.clear(Self.quantity)
      scene.server.edit(Dishes.parmigiana) { dish in
        dish.name = "Melanzane"
        dish.status = .inStock(quantity: 5)
      }
      try scene.window.wait(for: "\(name).textContent === 'Melanzane'")
      #expect(try scene.window.value("document.querySelector('\(Self.quantity)').value") == "")
      try scene.window.type("8", into: Self.quantity)
      let row = "document.querySelector('\(Dishes.selector(Dishes.parmigiana))')"
      try scene.window.wait(for: "\(row).dataset.renders === '3'")
      try scene.server.wait { $0.dish(Dishes.parmigiana)?.status == .inStock(quantity: 8) }
    }
  }

  @Test func `unsaved input is sent when the page is closed`() throws {
    try PageScene.run { scene in
      try scene.window.clear(Self.quantity)
      try scene.window.type("42", into: Self.quantity)
      try scene.window.navigate(to: "about:blank")
      try scene.window.open(scene.server.address)
      try scene.window.wait(for: "document.querySelector('\(Self.quantity)').value === '42'")
      try scene.server.wait { $0.dish(Dishes.parmigiana)?.status == .inStock(quantity: 42) }
    }
  }

  @Test func `all clicks in quick succession count`() throws {
    try PageScene.run { scene in
      for _ in 0..<5 { try scene.window.click(Dishes.selector(Dishes.parmigiana, "more")) }
      let row = "document.querySelector('\(Dishes.selector(Dishes.parmigiana))')"
      try scene.window.wait(for: "\(row).dataset.renders > 1")
      try scene.window.wait(for: "document.querySelector('\(Self.quantity)').value === '6'")
    }
  }

  @Test func `a rejected value stays in the field with an error message`() throws {
    // The browser writes the 422 response to the console.
    try PageScene.run(allowing: "422") { scene in
      try scene.window.clear(Self.quantity)
      try scene.window.type("0", into: Self.quantity)
      let row = Dishes.selector(Dishes.parmigiana)
      try scene.window.wait(for: "document.querySelector('\(row) .error').textContent.includes('≥ 1')")
      #expect(try scene.window.value("document.querySelector('\(Self.quantity)').value") == "0")
      try scene.window.clear(Self.quantity)
      try scene.window.type("3", into: Self.quantity)
      try scene.window.wait(for: "!document.querySelector('\(row) .error').checkVisibility()")
      try scene.server.wait { $0.dish(Dishes.parmigiana)?.status == .inStock(quantity: 3) }
    }
  }
}
