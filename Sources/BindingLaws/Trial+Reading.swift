import BinderyCore
import BinderyJSON

/// Laws of what is read: addresses compose, and lead to what stands at the same pointer of the JSON.
extension Trial {
  mutating func checkReading(_ value: Model, _ tree: JSONTree, _ site: Site) {
    guard let route = route(to: site) else {
      return expect(false, .composition, site, "the types do not know the address", value)
    }
    let found = read(value, route)
    switch (found, site.tree) {
    case (.success(let bytes), let part?):
      expect(bytes == part.bytes, .composition, site, "the place is not what the whole says is there", value, part)
      expect(isEqual(value, route, part), .equality, site, "the place differs from what it says of itself", value, part)
    case (.failure, nil): tried(.affine)
    case (.success, nil): expect(false, .affine, site, "what is absent can be read", value)
    case (.failure(let absence), _?): expect(false, .affine, site, "what is there cannot be read: \(absence)", value)
    }
    for cut in 0...site.segments.count {
      let outer = resolve(Array(site.segments[..<cut]), isPositional: site.isPositional)
      let form: AddressForm = site.isPositional ? .pointer : .url
      guard let both = outer?.resolving(Array(site.segments[cut...]), form: form) else {
        expect(false, .composition, site, "the address cannot be taken in two parts", value)
        continue
      }
      let isSame =
        both.target === route.target && both.steps.count == route.steps.count && both.isWritable == route.isWritable
        && both.canDelete == route.canDelete && both.isComputed == route.isComputed && read(value, both) == found
      expect(isSame, .composition, site, "two parts of the address lead elsewhere than the whole", value)
    }
    if case .sum(let cases) = site.type.kind, let part = site.tree { checkOneCase(value, site, cases, part) }
  }

  /// A text that is written in slices is the text, however short they are.
  mutating func checkSlices(_ value: Model) {
    let whole = bytes(value)
    for length in [1, 7, 64, whole.count / 2 + 1] {
      tried(.codec)
      var reading = ReadOperation(.json, key: key, writer: JSONWriter(stoppingAt: length))
      reading.take(value, shape)
      var joined = reading.writer.bytes
      while reading.writer.hasStopped, let rest = reading.rest, joined.count <= whole.count {
        reading.writer.bytes = []
        reading.writer.resume(stoppingAt: length)
        rest(&reading.writer)
        joined += reading.writer.bytes
      }
      guard joined != whole else { continue }
      let text = String(decoding: whole, as: UTF8.self)
      report(.codec, [], "slices of \(length) bytes are another text", text, String(decoding: joined, as: UTF8.self))
    }
  }

  /// Whether a JSON value is what stands at a place.
  func isEqual(_ value: Model, _ route: Route, _ part: JSONTree) -> Bool {
    guard let document = try? JSONDocument(parsing: part.bytes, maximumDepth: 1000) else { return false }
    var reading = ReadOperation(.equality(document.root), key: key)
    try? shape.visit(value, route, 0, &reading)
    return reading.isEqual
  }

  private mutating func checkOneCase(_ value: Model, _ site: Site, _ cases: [CaseInfo], _ part: JSONTree) {
    let there = cases.filter { one in
      guard one.payload != nil else {
        if case .string(let name) = part { return name.isSame(as: one.name) }
        return false
      }
      guard let route = resolve(site.segments + [one.name], isPositional: site.isPositional) else { return false }
      return (try? read(value, route).get()) != nil
    }
    expect(there.count == 1, .case, site, "\(there.count) cases are active, not one", value)
  }
}
