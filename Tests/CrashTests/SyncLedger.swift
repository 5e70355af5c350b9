import BinderyJSON
import BinderyTestKit

/// What a client and an editor have written to the slots of a data file, in order, and what must come of it.
///
/// All numbers are different, so that a value tells where it comes from.
struct SyncLedger {
  /// The slots of the data file.
  static let slots = ["a", "b", "c", "d"]

  /// The values of the slots.
  typealias Values = [String: Int]

  /// A text of the data file.
  static func text(_ values: Values) -> String {
    "{\n" + slots.map { "  \"\($0)\": { \"n\": \(values[$0] ?? 0) }" }.joined(separator: ",\n") + "\n}\n"
  }

  /// Returns the values in a text or a state; nil if it is not complete.
  static func values(_ text: String) -> Values? {
    guard let json = try? JSONTree(parsing: text) else { return nil }
    var values: Values = [:]
    for slot in slots { values[slot] = json[slot]?["n"].flatMap { Int($0.text) } }
    return values.count == slots.count ? values : nil
  }

  private enum Event {
    case write(slot: String, number: Int)
    /// A text that an editor has saved, and the number in it that is new.
    case edit(Values, number: Int)
  }

  private var events: [Event] = []
  /// The numbers of edits that must have been read, kept or warned about.
  private(set) var edits: Set<Int> = []
  private var number = 0

  /// Returns a number that was not used before.
  mutating func next() -> Int {
    number += 1
    return number
  }

  /// The server has acknowledged a write.
  mutating func didWrite(_ number: Int, to slot: String) { events.append(.write(slot: slot, number: number)) }

  /// An editor has saved a text.
  ///
  /// - Parameter replaced: The number of an earlier edit whose text was still in the file, so that the server need not
  ///   have seen it.
  mutating func didEdit(_ values: Values, number: Int, replacing replaced: Int?) {
    events.append(.edit(values, number: number))
    edits.insert(number)
    if let replaced { edits.remove(replaced) }
  }

  /// Returns the slots whose value contradicts the acknowledged writes.
  ///
  /// A slot must have the number of the last write, or that of an edit after it.
  func lostWrites(in values: Values) -> [String] {
    Self.slots.filter { slot in
      var possible: Set<Int> = [0]
      for event in events {
        switch event {
        case .write(slot, let number): possible = [number]
        case .write: continue
        case .edit(let edited, _): if let number = edited[slot] { possible.insert(number) }
        }
      }
      return !possible.contains(values[slot] ?? -1)
    }
  }
}
