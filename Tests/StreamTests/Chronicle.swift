import Digests
import State
import TestKit

/// What GET would have given at each revision: what followers are judged by.
final class Chronicle {
  static let absent = Bytes("absent")

  let store: Store<Pantry>
  private let client: MemoryClient<Pantry>
  private let paths: [String]
  private(set) var texts: [[Bytes: Bytes]] = []

  init(_ store: Store<Pantry>, key: DigestKey, paths: [String] = Pantry.paths) {
    self.store = store
    self.paths = paths
    client = MemoryClient(store, key: key)
    note()
  }

  /// Commits one change, and notes what there is now.
  func commit(_ body: (inout Pantry) -> Void) {
    store.post(body)
    note()
  }

  private func note() {
    guard store.revision == texts.count else { return }
    texts.append(Dictionary(uniqueKeysWithValues: paths.map { (Bytes($0), text(of: $0)) }))
  }

  private func text(of path: String) -> Bytes {
    guard let reply = try? client.get("/state" + path.percentEncoded) else { return Bytes("no reply") }
    return reply.status == 404 ? Self.absent : Bytes(reply.text)
  }

  var now: [Bytes: Bytes] { texts[texts.count - 1] }
}

extension String {
  /// As a path; slashes stay.
  var percentEncoded: String {
    utf8.map { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "/": String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }

  /// As the value of a parameter.
  var queryEncoded: String { percentEncoded.replacing("/", with: "%2F") }
}
