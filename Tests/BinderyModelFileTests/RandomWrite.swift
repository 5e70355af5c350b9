import BinderyCore
import BinderyJSON
import BinderyTestKit
import BindingLaws

/// A random request that writes to one of the places of a model.
struct RandomWrite {
  let method: String
  let target: String
  let body: String?

  /// - Parameter places: The places to choose from; at least one.
  init(
    to places: [(segments: [String], type: TypeInfo)], _ random: inout RandomPlaces<SeededGenerator>,
    _ generator: inout SeededGenerator
  ) {
    let place = places[Int.random(in: places.indices, using: &generator)]
    // Creates an element whose id is in the URL alone.
    if case .elements(let element, _) = place.type.kind, let id = element.identity, Bool.random(using: &generator) {
      method = "PUT"
      let segments = [random.json(of: id.type).filter { $0 != "\"" }, "5", "-5", "toolong", " "].filter(\.isUsable)
      let segment = segments.randomElement(using: &generator) ?? "5"
      target = Self.target(place.segments + [segment])
      let value = try? JSONTree(parsing: random.json(of: element))
      body =
        if case .object(let members)? = value {
          JSONTree.object(members.filter { $0.key != id.name }).text
        } else {
          "{}"
        }
      return
    }
    method = ["PATCH", "PUT", "PUT", "DELETE", "POST"].randomElement(using: &generator) ?? ""
    target = Self.target(place.segments)
    body = method == "DELETE" ? nil : random.json(of: place.type)
  }

  /// Returns the URL of a place.
  static func target(_ segments: [String]) -> String {
    "/state" + segments.map { "/" + Pointer.escaped($0).percentEncoded }.joined()
  }
}

extension String {
  /// Whether a URL can contain the segment.
  var isUsable: Bool { !isEmpty && self != "." && self != ".." && !utf8.contains(0) }

  /// The percent-encoded form for a path.
  var percentEncoded: String {
    utf8.map { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }
}
