import BinderyTestKit

extension Reply {
  var saysClose: Bool { self["Connection"] == "close" }
}

/// A strict parser for the responses of a connection. It throws for any deviation from the grammar.
enum Replies {
  enum Failure: Error {
    case truncated
    case withoutDate(Reply)
  }

  /// Parses all responses of a connection.
  ///
  /// - Parameter toHEAD: The indices of responses to HEAD, which have no content.
  static func read(_ bytes: [UInt8], toHEAD: Set<Int> = []) throws -> [Reply] {
    var reader = ReplyReader()
    reader.append(bytes)
    var replies: [Reply] = []
    while !reader.isEmpty {
      guard let reply = try reader.next(isHead: toHEAD.contains(replies.count), skippingInterim: false) else {
        throw Failure.truncated
      }
      guard reply.status < 200 || reply["Date"] != nil else { throw Failure.withoutDate(reply) }
      replies.append(reply)
    }
    return replies
  }
}
