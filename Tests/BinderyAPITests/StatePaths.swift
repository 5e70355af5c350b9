import BinderyJSON
import BinderyTestKit

/// Finds the paths of a state as a client would: from its JSON.
enum StatePaths {
  struct NoJSON: Error {
    let reply: Reply
  }

  static func all(_ client: any Client, of target: String) throws -> [String] {
    let reply = try client.get(target)
    guard let node = reply.json else { throw NoJSON(reply: reply) }
    return try [target] + below(node, target).filter { try client.get($0).status == 200 }
  }

  private static func below(_ node: JSONNode, _ target: String) -> [String] {
    switch node.kind {
    case .object:
      node.members.flatMap { key, value in
        let target = "\(target)/\(key.string ?? "")"
        return [target] + below(value, target)
      }
    case .array:
      node.elements.flatMap { element -> [String] in
        guard let id = element["id"] ?? element["date"] else { return [] }
        let target = "\(target)/\(id.string ?? String(decoding: id.text, as: UTF8.self))"
        return [target] + below(element, target)
      }
    case .null, .bool, .number, .string: []
    }
  }
}
