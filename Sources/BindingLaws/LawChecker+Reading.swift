import BinderyCore
import BinderyJSON

/// Checks of reading: paths compose, and reading a path returns the part of the JSON at the same JSON Pointer.
extension LawChecker {
  /// Checks reading at one place of a value.
  mutating func checkReading(_ value: Value, _ tree: JSONTree, _ target: LawTarget) {
    guard let route = route(to: target) else {
      return expect(false, .composition, target, "the path cannot be resolved", value)
    }
    let found = read(value, route)
    switch (found, target.tree) {
    case (.success(let bytes), let part?):
      expect(
        bytes == part.bytes, .composition, target, "reading the place differs from the same part of the whole value",
        value, part)
      expect(isEqual(value, route, part), .equality, target, "the place is not equal to its own JSON", value, part)
    case (.failure, nil): countCheck(.affine)
    case (.success, nil): expect(false, .affine, target, "an absent place can be read", value)
    case (.failure(let absence), _?):
      expect(false, .affine, target, "a present place cannot be read: \(absence)", value)
    }
    for cut in 0...target.segments.count {
      let outer = resolve(Array(target.segments[..<cut]), isPositional: target.isPositional)
      let form: AddressForm = target.isPositional ? .pointer : .url
      guard let composed = outer?.resolving(Array(target.segments[cut...]), form: form) else {
        expect(false, .composition, target, "the path cannot be resolved in two parts", value)
        continue
      }
      let isSame =
        composed.target === route.target && composed.steps.count == route.steps.count
        && composed.isWritable == route.isWritable && composed.canDelete == route.canDelete
        && composed.isComputed == route.isComputed && read(value, composed) == found
      expect(isSame, .composition, target, "resolving the path in two parts results in another place", value)
    }
    if case .sum(let cases) = target.type.kind, let part = target.tree { checkActiveCase(value, target, cases, part) }
  }

  /// Checks that incremental encoding in slices of any length yields the same text.
  mutating func checkSlices(_ value: Value) {
    let whole = bytes(value)
    for length in [1, 7, 64, whole.count / 2 + 1] {
      countCheck(.codec)
      var reading = ReadOperation(.json, key: key, writer: JSONWriter(stoppingAt: length))
      reading.read(value, shape)
      var joined = reading.writer.bytes
      while reading.writer.hasStopped, let rest = reading.writeRemainder, joined.count <= whole.count {
        reading.writer.bytes = []
        reading.writer.resume(stoppingAt: length)
        rest(&reading.writer)
        joined += reading.writer.bytes
      }
      guard joined != whole else { continue }
      addViolation(
        .codec, "encoding in slices of \(length) bytes yields another text",
        [text(value), String(decoding: joined, as: UTF8.self)])
    }
  }

  /// Returns whether the content of a place equals a JSON value.
  func isEqual(_ value: Value, _ route: Route, _ part: JSONTree) -> Bool {
    guard let document = try? JSONDocument(parsing: part.bytes, maximumDepth: 1000) else { return false }
    var reading = ReadOperation(.equality(document.root), key: key)
    try? shape.visit(value, route, 0, &reading)
    return reading.isEqual
  }

  /// Checks that exactly one case of an enum can be read.
  private mutating func checkActiveCase(_ value: Value, _ target: LawTarget, _ cases: [CaseInfo], _ part: JSONTree) {
    let activeCases = cases.filter { enumCase in
      guard enumCase.payload != nil else {
        if case .string(let name) = part { return name.isSame(as: enumCase.name) }
        return false
      }
      guard let route = resolve(target.segments + [enumCase.name], isPositional: target.isPositional) else {
        return false
      }
      return (try? read(value, route).get()) != nil
    }
    expect(activeCases.count == 1, .case, target, "\(activeCases.count) cases are active; expected exactly one", value)
  }
}
