import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu

/// Checks that paths and JSON Pointers round-trip and resolve to the same place, and that the place can be read or is
/// absent.
enum PathTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    if let text = String(validating: input, as: UTF8.self), let segments = Pointer.segments(of: text) {
      try checkRoundTrip(segments)
      try checkRoutes(segments)
    }
    let path = [UInt8(ascii: "/")] + input.prefix { $0 != UInt8(ascii: "?") }
    guard let target = try? RequestTarget(path: path[...]) else { return }
    try checkRoundTrip(target.segments)
    try checkRoutes(target.segments)
    guard !target.segments.isEmpty else { return }
    let spelled = target.segments.map { "/" + percentEncoded(Pointer.escaped($0)) }.joined()
    let again = try attempt(spelled) { try RequestTarget(path: Array(spelled.utf8)[...]) }
    try expect(
      isSame(again.segments, target.segments),
      "“\(spelled)” was parsed as \(again.segments), expected \(target.segments)")
  }

  /// Checks that path segments round-trip through a JSON Pointer.
  private static func checkRoundTrip(_ segments: [String]) throws(Finding) {
    let again = Pointer.segments(of: Pointer.text(segments))
    try expect(again.map { isSame($0, segments) } ?? false, "\(segments) round-tripped as \(again ?? [])")
  }

  /// Checks that every form of the path resolves to the same type, and reads the place.
  private static func checkRoutes(_ segments: [String]) throws(Finding) {
    let root = Route.root(Menu.shape.type)
    for form in [AddressForm.url, .pointer, .stored] {
      guard let route = root.resolving(segments, form: form) else { continue }
      let target = Menu.shape.type.following(route.steps)
      try expect(
        target === route.target, "\(segments) resolves to \(target?.name ?? "nothing"), expected \(route.target.name)")
      if case .stored = form { continue }
      let pointerRoute = root.resolving(segments, form: .pointer)
      try expect(pointerRoute?.target === route.target, "\(segments) resolves as a path but not as a pointer")
      for menu in [Menu.example, MenuFixtures.full] { try read(menu, route) }
    }
  }

  /// Reads a place twice and checks that both results are equal, valid JSON.
  private static func read(_ menu: Menu, _ route: Route) throws(Finding) {
    var texts: [[UInt8]] = []
    var digests: [Digest?] = []
    for _ in 0..<2 {
      var reading = ReadOperation(.digestAndJSON, key: MenuFixtures.key)
      guard (try? Menu.shape.visit(menu, route, 0, &reading)) != nil else { return }
      texts.append(reading.writer.bytes)
      digests.append(reading.digest)
    }
    try expect(ReferenceJSON.accepts(texts[0]), "invalid JSON: \(texts[0].text)")
    try expect(texts[0] == texts[1] && digests[0] == digests[1], "two reads differ: \(texts[0].text) \(texts[1].text)")
  }

  private static func percentEncoded(_ text: String) -> String {
    text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Compares by bytes, because `String ==` ignores Unicode normalization.
  private static func isSame(_ a: [String], _ b: [String]) -> Bool {
    a.map { Array($0.utf8) } == b.map { Array($0.utf8) }
  }
}
