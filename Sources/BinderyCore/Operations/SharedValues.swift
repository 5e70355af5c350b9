import BinderyDigest
import Synchronization

/// Values that are derived from immutable ones, each shared by all responses that need it.
///
/// A long response keeps what was expensive to compute until its last slice. Without sharing, many clients that request
/// the same value and read nothing would each keep a copy of it. The latest value can be kept without a response, if
/// each response and each digest needs it, while most commits do not change its source.
@usableFromInline
final class SharedValues: Sendable {
  /// A derived value, with the one that it was derived from.
  @usableFromInline
  final class Entry: @unchecked Sendable {
    // Every type with a shape is Sendable, but the tables of members do not repeat this requirement.
    let source: Any
    @usableFromInline let value: any Sendable

    init(_ source: Any, _ value: any Sendable) {
      self.source = source
      self.value = value
    }
  }

  private struct Reference: Sendable {
    weak let entry: Entry?
  }

  private struct Entries: Sendable {
    /// The latest entries that are in use.
    var references: [Reference] = []
    var latest: Entry?
  }

  private let entries = Mutex(Entries())
  private let keepsLatest: Bool
  private static var maximumCount: Int { 16 }

  @usableFromInline
  init(keepingLatest keepsLatest: Bool = false) { self.keepsLatest = keepsLatest }

  /// Returns the entry for a source that is in use, or a new one.
  ///
  /// - Parameter derive: returns the value.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never) @usableFromInline
  func entry<Source>(for source: Source, _ derive: () -> any Sendable) -> Entry {
    // The entries outlive the lock, so that none of them ends while it is held.
    let known = entries.withLock { $0.references.map(\.entry) }
    for case let entry? in known {
      if let other = entry.source as? Source, haveSameBits(other, source) { return entry }
    }
    let entry = Entry(source, derive())
    let previous = entries.withLock { entries -> Entry? in
      entries.references.removeAll { $0.entry == nil }
      if entries.references.count == Self.maximumCount { entries.references.removeFirst() }
      entries.references.append(Reference(entry: entry))
      guard keepsLatest else { return nil }
      defer { entries.latest = entry }
      return entries.latest
    }
    withExtendedLifetime(previous) {}
    return entry
  }
}
