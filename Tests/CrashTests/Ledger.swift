import BinderyJSON
import BinderyTestKit
import Synchronization

/// What writers were promised and what readers have seen, to be held against what is there after a crash.
///
/// Each writer has a dish, and each of its writes is one patch of two places that say the same number.
final class Ledger: Sendable {
  struct Entry: Equatable {
    /// The last number that was acknowledged, and its entity tag.
    var acknowledged = 0
    var etag: String?
    /// The last number that anybody was shown.
    var seen = 0
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var revision = 0
    var total = 0
  }

  private let state = Mutex(State())

  subscript(writer: Int) -> Entry { state.withLock { $0.entries[writer] ?? Entry() } }

  var revision: Int { state.withLock { $0.revision } }

  /// - Returns: how many writes have been acknowledged in all.
  func acknowledge(_ number: Int, of writer: Int, _ reply: Reply) -> Int {
    state.withLock { state in
      state.entries[writer, default: Entry()].acknowledged = number
      state.entries[writer, default: Entry()].etag = reply.etag
      state.revision = max(state.revision, reply.revision ?? 0)
      state.total += 1
      return state.total
    }
  }

  func show(_ number: Int, of writer: Int) {
    state.withLock { $0.entries[writer, default: Entry()].seen = max($0.entries[writer]?.seen ?? 0, number) }
  }

  static func id(of writer: Int) -> String { "00000000-0000-8000-8000-00000000000\(writer)" }

  static func path(of writer: Int) -> String { "/state/dishes/" + id(of: writer) }

  static func dish(of writer: Int, _ number: Int) -> String {
    #"{"name":"dish \#(number)","isFavorite":false,"status":{"inStock":{"quantity":\#(number + 1)}}}"#
  }

  /// One patch of two places.
  static func patch(_ number: Int) -> String {
    """
    [{"op":"replace","path":"/name","value":"dish \(number)"},\
    {"op":"replace","path":"/status","value":{"inStock":{"quantity":\(number + 1)}}}]
    """
  }

  static let patchType: SocketClient.Fields = ["Content-Type": "application/json-patch+json"]

  /// The number that a dish tells; nil where its two places disagree.
  static func number(in reply: Reply) -> Int? {
    let quantity = reply.json?["status"]?["inStock"]?["quantity"]?.text ?? []
    guard let name = reply.string("name"), let number = Int(name.dropFirst("dish ".count)),
      Array("\(number + 1)".utf8) == Array(quantity)
    else { return nil }
    return number
  }
}
