import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyTestKit

/// What stood at each place at each revision: what followers are judged by.
final class Chronicle {
  static let absent = Bytes("absent")

  let store: Store<Pantry>
  private let key = DigestKey.random()
  private let routes: [(path: Bytes, route: Route)]
  private(set) var texts: [[Bytes: Bytes]] = []

  init(_ store: Store<Pantry>, paths: [String] = Pantry.paths) {
    self.store = store
    let root = Route.root(Pantry.shape.type)
    routes = paths.compactMap { path in
      Pointer.segments(of: path).flatMap { root.resolving($0, form: .url) }.map { (Bytes(path), $0) }
    }
    precondition(routes.count == paths.count, "the types know all paths")
    note()
  }

  /// Commits one change, and notes what there is now.
  func commit(_ body: (inout Pantry) -> Void) {
    store.post(body)
    note()
  }

  private func note() {
    guard store.revision == texts.count else { return }
    let root = store.snapshot.root
    texts.append(Dictionary(uniqueKeysWithValues: routes.map { ($0.path, text(at: $0.route, in: root)) }))
  }

  private func text(at route: Route, in root: Pantry) -> Bytes {
    var reading = ReadOperation(.json, key: key)
    do throws(Absence) { try Pantry.shape.visit(root, route, 0, &reading) } catch { return Self.absent }
    return Bytes(String(decoding: reading.writer.bytes, as: UTF8.self))
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
