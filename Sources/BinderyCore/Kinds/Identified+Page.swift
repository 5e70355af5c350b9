public import BinderyJSON

extension IdentifiedShape {
  /// Writes one page of elements, and the cursors of the pages beside it.
  @inlinable
  func write(_ page: Page, of value: Identified<Element>, _ reading: inout ReadOperation) {
    var bounds = 0..<value.count
    if let after = page.after {
      guard let index = index(of: after, in: value) else {
        reading.missingCursor = after
        return
      }
      bounds = index + 1..<value.count
    }
    if let before = page.before {
      guard let index = index(of: before, in: value) else {
        reading.missingCursor = before
        return
      }
      bounds = bounds.lowerBound..<max(index, bounds.lowerBound)
    }
    let isAtEnd = page.after == nil && page.before != nil
    let range = isAtEnd ? bounds.suffix(page.limit) : bounds.prefix(page.limit)
    let end = range.upperBound
    reading.write { [elementShape, range] writer in
      writer.array(from: range.lowerBound, { value.elements(from: $0).prefix(end - $0) }) { element, writer in
        elementShape.encode(element, into: &writer)
      }
    }
    guard !range.isEmpty else { return }
    if end < (isAtEnd ? value.count : bounds.upperBound) { reading.nextCursor = value[end - 1].id.keyText }
    if range.lowerBound > 0 { reading.previousCursor = value[range.lowerBound].id.keyText }
  }

  @inlinable
  func index(of key: AnyKey, in value: Identified<Element>) -> Int? {
    key.typed(Element.ID.self).flatMap { value.index(of: $0) }
  }
}
