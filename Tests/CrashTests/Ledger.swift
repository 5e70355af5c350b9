import BinderyJSON
import BinderyTestKit
import Synchronization

/// The acknowledged writes and the values that readers received, to be compared with the state after a crash.
///
/// Each writer has a value. Each of its writes is one patch that puts the same number in two places, so that a partial
/// write is detected. Safe to use from any thread.
final class Ledger: Sendable {
  struct Entry: Equatable {
    /// The last number that was acknowledged.
    var acknowledged = 0
    /// The ETag of the acknowledged write.
    var etag: String?
    /// The largest number that a reader received.
    var observed = 0
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var revision = 0
    var total = 0
  }

  private let state = Mutex(State())

  subscript(writer: Int) -> Entry { state.withLock { $0.entries[writer] ?? Entry() } }

  /// The largest revision of an acknowledged write.
  var revision: Int { state.withLock { $0.revision } }

  /// The number of acknowledged writes.
  var total: Int { state.withLock { $0.total } }

  /// Records that a write was acknowledged.
  ///
  /// - Returns: The total number of acknowledged writes.
  func acknowledge(_ number: Int, of writer: Int, _ reply: Reply) -> Int {
    state.withLock { state in
      state.entries[writer, default: Entry()].acknowledged = number
      state.entries[writer, default: Entry()].etag = reply.etag
      state.revision = max(state.revision, reply.revision ?? 0)
      state.total += 1
      return state.total
    }
  }

  /// Records that a reader received a number.
  func observe(_ number: Int, of writer: Int) {
    state.withLock { $0.entries[writer, default: Entry()].observed = max($0.entries[writer]?.observed ?? 0, number) }
  }

  /// The ID of a writer's dish.
  static func id(of writer: Int) -> String { "00000000-0000-8000-8000-00000000000\(writer)" }

  static func path(of writer: Int) -> String { "/state/dishes/" + id(of: writer) }

  /// Returns a dish with a number in its name and its quantity, as JSON.
  static func dish(of writer: Int, _ number: Int) -> String {
    #"{"name":"dish \#(number)","isFavorite":false,"status":{"inStock":{"quantity":\#(number + 1)}}}"#
  }

  /// Returns a JSON Patch that puts a number in the name and the quantity of a dish.
  static func patch(_ number: Int) -> String {
    """
    [{"op":"replace","path":"/name","value":"dish \(number)"},\
    {"op":"replace","path":"/status","value":{"inStock":{"quantity":\(number + 1)}}}]
    """
  }

  static let patchType: SocketClient.Fields = ["Content-Type": "application/json-patch+json"]

  /// Returns the number of a dish; nil if its name and its quantity disagree.
  static func number(in reply: Reply) -> Int? {
    let quantity = reply.json?["status"]?["inStock"]?["quantity"]?.text ?? []
    guard let name = reply.string("name"), let number = Int(name.dropFirst("dish ".count)),
      Array("\(number + 1)".utf8) == Array(quantity)
    else { return nil }
    return number
  }
}
