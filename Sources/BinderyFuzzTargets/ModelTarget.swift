import BinderyCore
import BinderyJSON
import BinderyMenu
import FoundationEssentials

/// Checks that decoded values of the menu, and of every other kind of value, satisfy their constraints and round-trip
/// through JSON and the stored form.
enum ModelTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    guard let root = try? JSONDocument(parsing: input).root else { return }
    for strictness in [Decoding.Strictness.complete, .creating, .exact] {
      try check(Menu.shape, root, strictness)
      try check(Dish.shape, root, strictness)
      try check(Time.shape, root, strictness)
      try check(Sensor.shape, root, strictness)
      // Each kind of value alone: an input that is a string is then as good as a whole sensor.
      try check(Float?.shape, root, strictness)
      try check(URL?.shape, root, strictness)
      try check(Data?.shape, root, strictness)
      try check(Duration?.shape, root, strictness)
      try check(Set<String>?.shape, root, strictness)
      try check(Sensor.Mode?.shape, root, strictness)
      try check(Sensor.Color?.shape, root, strictness)
    }
    if let menu = try? Menu.shape.restore(input) { try MenuFixtures.checkStorage(menu) }
    if let menu = try? ModelDefinition<Menu>().importing(input, replacing: MenuFixtures.full) {
      try MenuFixtures.checkStorage(menu)
    }
    if let patch = try? StoredPatch(parsing: input) {
      var menu = MenuFixtures.full
      if (try? Menu.shape.restore(&menu, patch)) != nil { try MenuFixtures.checkStorage(menu) }
    }
  }

  private static func check<Value>(
    _ shape: EditableShape<Value>, _ node: JSONNode, _ strictness: Decoding.Strictness
  ) throws(Finding) {
    var decoding = Decoding(strictness)
    guard let value = try? shape.decode(node, &decoding) else { return }
    let written = shape.json(value)
    try expect(ReferenceJSON.accepts(written), "invalid JSON: \(written.text)")
    try attempt("\(strictness) \(written.text)") {
      try shape.check(value)
      var decoding = Decoding(.exact)
      let again = try shape.decode(try JSONDocument(parsing: written).root, &decoding)
      let rewritten = shape.json(again)
      try expect(shape.areSame(again, value), "a different value: \(rewritten.text), expected \(written.text)")
      try expect(rewritten == written, "different JSON: \(rewritten.text), expected \(written.text)")
      let digests = [value, again].map { shape.digest($0, MenuFixtures.key) }
      try expect(digests[0] == digests[1], "equal values with different digests: \(written.text)")
    }
  }
}
