public import BinderyJSON
import BinderyText

/// The entries of a dictionary in the order of JSON: sorted by the UTF-8 of their keys.
@usableFromInline
struct EntryOrder<Key: PathKey & Hashable, Value: Sendable>: Sendable {
  @usableFromInline typealias Entries = [Key: Value]

  private let entries: Entries
  private let order: [Entries.Index]
  /// The order for several responses; nil if sorting it again costs little.
  private let shared: SharedValues.Entry?

  /// Sorts the entries.
  init(_ entries: Entries) { self.init(entries, nil) }

  /// Sorts the entries, unless their order is known.
  ///
  /// - Parameter orders: The known orders.
  init(_ entries: Entries, sharing orders: SharedValues) {
    self.init(entries, entries.count < 1_000 ? nil : orders.entry(for: entries) { Self.sorted(entries) })
  }

  /// Sorts the entries, unless a writer has saved their order, or it is known.
  ///
  /// - Parameter orders: The known orders.
  init(_ entries: Entries, sharing orders: SharedValues, _ writer: inout JSONWriter) {
    if writer.isResuming, let saved = writer.restoreState(SharedValues.Entry.self) {
      self.init(entries, saved)
    } else {
      self.init(entries, sharing: orders)
    }
  }

  private init(_ entries: Entries, _ shared: SharedValues.Entry?) {
    self.entries = shared?.source as? Entries ?? entries
    order = shared?.value as? [Entries.Index] ?? Self.sorted(entries)
    self.shared = shared
  }

  var count: Int { order.count }
  subscript(position: Int) -> Entries.Element { entries[order[position]] }

  var keys: [Key] { order.map { entries[$0].key } }

  /// Saves the order in a writer that stops, for the next slice.
  @usableFromInline
  func save(in writer: inout JSONWriter) { writer.saveState(shared) }

  private static func sorted(_ entries: Entries) -> [Entries.Index] {
    let indices = Array(entries.indices)
    if indices.count < 2 { return indices }
    return indices.map { entries[$0].key.keyText }.order.map { indices[$0] }
  }
}

extension [String] {
  /// The indices of the texts, sorted by their UTF-8.
  fileprivate var order: [Int] {
    // Most keys differ in their first bytes, which are compared fast as a number.
    let order = indices.map { (beginning: self[$0].utf8Span.span.beginningAsNumber, index: $0) }
      .sorted { a, b in
        if a.beginning != b.beginning { return a.beginning < b.beginning }
        return self[a.index].utf8Span.span.precedes(self[b.index].utf8Span.span)
      }
    return order.map(\.index)
  }
}
