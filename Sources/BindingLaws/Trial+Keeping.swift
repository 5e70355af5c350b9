import BinderyCore
import BinderyJSON

/// What a journal keeps.
extension Trial {
  mutating func checkKeeping(_ value: Model, _ other: Model) {
    tried(.keeping)
    let kept = shape.stored(value)
    let text = String(decoding: kept, as: UTF8.self)
    do throws(RestoreError) {
      let copy = try shape.restore(kept)
      if !shape.areSame(copy, value) {
        report(
          .keeping, [], "what is kept gives back another value", text, String(decoding: bytes(copy), as: UTF8.self))
      }
      try checkWay(from: other, to: value)
      try checkWay(from: value, to: other)
    } catch {
      report(.keeping, [], "what is kept cannot be read: \(error)", text)
    }
  }

  private mutating func checkWay(from old: Model, to new: Model) throws(RestoreError) {
    var difference = PatchBuilder(.stored)
    shape.difference(from: old, to: new, &difference)
    let text = difference.finish()
    let patch = try StoredPatch(parsing: text)
    var copy = old
    try shape.restore(&copy, patch)
    let change = try shape.firstChange(in: new, since: patch)
    if shape.areSame(copy, new), change == nil { return }
    let detail = change.map { "the end of the way is not as it left it at “\($0)”" } ?? "the way ends elsewhere"
    report(
      .keeping, [], detail, String(decoding: shape.stored(old), as: UTF8.self),
      String(decoding: shape.stored(new), as: UTF8.self), String(decoding: text, as: UTF8.self))
  }
}
