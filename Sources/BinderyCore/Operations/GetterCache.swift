/// The values of computed members in one version of a draft.
///
/// The operations of one request that name the same computed member evaluate its getter once, until one of them changes
/// the draft. Used by one thread.
@usableFromInline
package final class GetterCache {
  private var values: [[UInt8]: any Sendable] = [:]
  private var evaluated: Set<[UInt8]> = []
  /// The number of times that a getter ran again because the draft had changed.
  package private(set) var repeatedCount = 0

  @usableFromInline
  package init() {}

  /// Forgets the values, because the draft changed.
  package func invalidate() { values.removeAll(keepingCapacity: true) }

  /// Counts a run of a getter whose value is not kept here.
  @usableFromInline
  package func countRun() { repeatedCount += 1 }

  /// Returns the value of a computed member, and evaluates its getter unless the value is known.
  ///
  /// - Parameter place: the steps from the root to the member.
  @usableFromInline
  func value<Value: Sendable>(at place: some Sequence<Step>, _ get: () -> Value) -> Value {
    let key = place.identity
    // Casting the lookup's result would turn a missing value of an optional type into nil.
    if let known = values[key], let value = known as? Value { return value }
    if !evaluated.insert(key).inserted { repeatedCount += 1 }
    let value = get()
    values[key] = value
    return value
  }
}

extension Sequence<Step> {
  /// Bytes that identify the place at the end of the steps. The bytes of a place begin with those of its parents.
  @usableFromInline package var identity: [UInt8] {
    var bytes: [UInt8] = []
    for step in self {
      switch step {
      case .member(let index): bytes.append(tag: "m", index)
      case .payload(let index): bytes.append(tag: "p", index)
      case .index(let index): bytes.append(tag: "i", index)
      case .wrapped: bytes.append(tag: "w", 0)
      case .end: bytes.append(tag: "e", 0)
      case .key(let key):
        let text = Array(key.text.utf8)
        bytes.append(tag: "k", text.count)
        bytes += text
      }
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(tag: Unicode.Scalar, _ number: Int) {
    append(UInt8(ascii: tag))
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
