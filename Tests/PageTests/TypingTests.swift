import BinderyMenu
import Testing

/// What is typed is neither overwritten nor lost.
@Suite(.serialized, .needsBrowser)
struct TypingTests {
  private static let quantity = Dishes.selector(Dishes.parmigiana, "quantity")

  @Test func `what is typed stays while others change the dish`() throws {
    try PageScene.run { scene in
      let name = "document.querySelector('\(Dishes.selector(Dishes.parmigiana)) h3')"
      // Half a change: an empty field is no number yet, and is never sent.
      try scene.window.clear(Self.quantity)
      scene.restaurant.edit(Dishes.parmigiana) { dish in
        dish.name = "Melanzane"
        dish.status = .inStock(quantity: 5)
      }
      try scene.window.wait(for: "\(name).textContent === 'Melanzane'")
      #expect(try scene.window.value("document.querySelector('\(Self.quantity)').value") == "")
      try scene.window.type("8", into: Self.quantity)
      let row = "document.querySelector('\(Dishes.selector(Dishes.parmigiana))')"
      try scene.window.wait(for: "\(row).dataset.renders === '3'")
      #expect(scene.restaurant.dish(Dishes.parmigiana)?.status == .inStock(quantity: 8))
    }
  }

  @Test func `the last key is sent when the page is left`() throws {
    try PageScene.run { scene in
      try scene.window.clear(Self.quantity)
      try scene.window.type("42", into: Self.quantity)
      try scene.window.go("about:blank")
      try scene.window.open(scene.restaurant.address)
      try scene.window.wait(for: "document.querySelector('\(Self.quantity)').value === '42'")
      #expect(scene.restaurant.dish(Dishes.parmigiana)?.status == .inStock(quantity: 42))
    }
  }

  @Test func `clicks in quick succession all count`() throws {
    try PageScene.run { scene in
      for _ in 0..<5 { try scene.window.click(Dishes.selector(Dishes.parmigiana, "more")) }
      let row = "document.querySelector('\(Dishes.selector(Dishes.parmigiana))')"
      try scene.window.wait(for: "\(row).dataset.renders > 1")
      try scene.window.wait(for: "document.querySelector('\(Self.quantity)').value === '6'")
    }
  }

  @Test func `a refused value is told at its control, and stays to be mended`() throws {
    // The browser writes a line for each refused request.
    try PageScene.run(allowing: "422") { scene in
      try scene.window.clear(Self.quantity)
      try scene.window.type("0", into: Self.quantity)
      let row = Dishes.selector(Dishes.parmigiana)
      try scene.window.wait(for: "document.querySelector('\(row) .error').textContent.includes('at least 1')")
      #expect(try scene.window.value("document.querySelector('\(Self.quantity)').value") == "0")
      try scene.window.clear(Self.quantity)
      try scene.window.type("3", into: Self.quantity)
      try scene.window.wait(for: "!document.querySelector('\(row) .error').checkVisibility()")
      #expect(scene.restaurant.dish(Dishes.parmigiana)?.status == .inStock(quantity: 3))
    }
  }
}
