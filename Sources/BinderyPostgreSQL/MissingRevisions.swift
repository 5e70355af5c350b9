import BinderyTelemetry
import Synchronization

/// What became of the revisions that this server had published and that a promoted standby did not have.
package struct MissingRevisions: Sendable, Equatable {
  /// Those that this server has appended again.
  package var appendedAgain: ClosedRange<Int>?
  /// Those whose numbers other commits have taken.
  package var lost: ClosedRange<Int>?
  /// Those that this server could not append, and whose numbers no other commit has taken yet.
  package var perhapsLost: ClosedRange<Int>?

  /// One line for each kind.
  package var lines: [String] {
    [
      appendedAgain.map { "appended again: \(Self.text($0))" },
      lost.map { "lost, replaced by other commits: \(Self.text($0))" },
      perhapsLost.map { "perhaps lost: \(Self.text($0))" },
    ].compactMap(\.self)
  }

  private static func text(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "revision \(range.lowerBound)" : "revisions \(range.lowerBound) to \(range.upperBound)"
  }
}

/// The numbers of ``MissingRevisions`` of a state since the start of the process.
///
/// After a promotion the process opens the state again, so the numbers are not kept with the open store.
final class MissingRevisionCounts: Sendable {
  private struct Numbers {
    var (appendedAgain, lost, perhapsLost) = (0, 0, 0)
  }

  /// Guards the numbers; held only to read or change them.
  private let numbers = Mutex(Numbers())

  /// Guards the counts by URL and document; held only to look up or add one.
  private static let all = Mutex<[[String]: MissingRevisionCounts]>([:])

  /// Returns the counts of a state.
  static func of(_ document: String, at url: String) -> MissingRevisionCounts {
    all.withLock { all in
      let counts = all[[url, document]] ?? MissingRevisionCounts()
      all[[url, document]] = counts
      return counts
    }
  }

  func add(_ missing: MissingRevisions) {
    numbers.withLock { numbers in
      numbers.appendedAgain += missing.appendedAgain?.count ?? 0
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
