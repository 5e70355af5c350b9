import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyTestKit

/// The text of each place at each revision: the expected content of the replicas.
final class StateHistory {
  static let absent = Bytes("absent")

  let store: Store<Pantry>
  private let key = DigestKey.random()
  private let routes: [(path: Bytes, route: Route)]
  /// The texts by revision, then by path.
  private(set) var texts: [[Bytes: Bytes]] = []

  init(_ store: Store<Pantry>, paths: [String] = Pantry.paths) {
    self.store = store
    let root = Route.root(Pantry.shape.type)
    routes = paths.compactMap { path in
      Pointer.segments(of: path).flatMap { root.resolving($0, form: .url) }.map { (Bytes(path), $0) }
    }
    precondition(routes.count == paths.count, "a path does not exist in the types")
    record()
  }

  /// Commits a change and records the new texts.
  func commit(_ body: (inout Pantry) -> Void) {
    store.post(body)
    record()
  }

  private func record() {
    // A commit that changes nothing creates no revision.
    guard store.revision == texts.count else { return }
    let root = store.snapshot.root
    texts.append(Dictionary(uniqueKeysWithValues: routes.map { ($0.path, text(at: $0.route, in: root)) }))
  }

  private func text(at route: Route, in root: Pantry) -> Bytes {
    var reading = ReadOperation(.json, key: key)
    do throws(Absence) { try Pantry.shape.visit(root, route, 0, &reading) } catch { return Self.absent }
    return Bytes(String(decoding: reading.writer.bytes, as: UTF8.self))
  }

  /// The texts at the newest revision.
  var current: [Bytes: Bytes] { texts[texts.count - 1] }
}

extension String {
  /// The percent-encoded form for a path. Slashes are not encoded.
  var percentEncoded: String {
    utf8.map { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "/": String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }

  /// The percent-encoded form for the value of a query parameter.
  var queryEncoded: String { percentEncoded.replacing("/", with: "%2F") }
}
