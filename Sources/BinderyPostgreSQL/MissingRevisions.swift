import BinderyTelemetry
import Synchronization

/// The revisions that this server had published and that a promoted standby did not have.
///
/// They were appended again, or are lost.
package struct MissingRevisions: Sendable, Equatable {
  /// Those that this server has appended again.
  package private(set) var appendedAgain: ClosedRange<Int>?
  /// The number of those. Other servers may have appended some of the range.
  private(set) var appendedCount = 0
  /// Those whose numbers other commits have taken.
  package var lost: ClosedRange<Int>?
  /// Those that this server could not append, and whose numbers no other commit has taken yet.
  package var perhapsLost: ClosedRange<Int>?

  var isEmpty: Bool { self == MissingRevisions() }

  /// One line for each kind.
  package var lines: [String] {
    [
      appendedAgain.map { range in
        let part = appendedCount < range.count ? "\(appendedCount) of the " : ""
        return "appended again: \(part)\(Self.text(range))"
      },
      lost.map { "lost, replaced by other commits: \(Self.text($0))" },
      perhapsLost.map { "perhaps lost: \(Self.text($0))" },
    ].compactMap(\.self)
  }

  /// Adds the revisions of a batch that this server has appended again.
  mutating func addAppended(_ range: ClosedRange<Int>) {
    appendedAgain = (appendedAgain?.lowerBound ?? range.lowerBound)...range.upperBound
    appendedCount += range.count
  }

  private static func text(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "revision \(range.lowerBound)" : "revisions \(range.lowerBound) to \(range.upperBound)"
  }
}

/// The record that a process keeps while it loads the state again after a promotion or an import: the numbers of
/// ``MissingRevisions``, and the batches that a second promotion might lose.
package final class RevisionRecord: Sendable {
  private struct Numbers {
    var (appendedAgain, lost, perhapsLost) = (0, 0, 0)
  }

  /// Guards the numbers; held only to read or change them.
  private let numbers = Mutex(Numbers())
  /// Guards the batches; held only to put or take them.
  private let batches = Mutex(RecentBatches())

  /// Guards the records by URL and document; held only to look up or add one.
  private static let all = Mutex<[[String]: RevisionRecord]>([:])

  package init() {}

  /// Returns the record of a state.
  static func of(_ document: String, at url: String) -> RevisionRecord {
    all.withLock { all in
      let record = all[[url, document]] ?? RevisionRecord()
      all[[url, document]] = record
      return record
    }
  }

  func put(_ recent: RecentBatches) { batches.withLock { $0 = recent } }

  func takeBatches() -> RecentBatches {
    batches.withLock { batches in
      defer { batches = RecentBatches() }
      return batches
    }
  }

  func add(_ missing: MissingRevisions) {
    numbers.withLock { numbers in
      numbers.appendedAgain += missing.appendedCount
      numbers.lost += missing.lost?.count ?? 0
      numbers.perhapsLost += missing.perhapsLost?.count ?? 0
    }
  }

  func collect(into exposition: inout Exposition) {
    let numbers = numbers.withLock { $0 }
    exposition.single(
      "bindery_database_revisions_appended_again_total", .counter,
      "Revisions that a promoted standby did not have and that this server has appended again.", numbers.appendedAgain)
    exposition.begin(
      "bindery_database_revisions_lost_total", .counter,
      "Revisions that a promoted standby did not have: lost if other commits have taken their numbers, else perhaps.")
    exposition.sample(["certainty": "lost"], numbers.lost)
    exposition.sample(["certainty": "perhaps"], numbers.perhapsLost)
  }
}
