package import BinderyCore
import BinderyDigest
import BinderyJSON

/// The form in which a storage keeps the results of commits with idempotency keys.
extension KeyedResult {
  /// Returns results as a JSON array.
  package static func json(_ results: [KeyedResult]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for result in results {
      writer.beginObject()
      writer.member("key", result.key)
      writer.member("fingerprint", result.fingerprint.text)
      writer.member("revision", Int64(result.revision))
      writer.member("time", result.time)
      writer.key("response")
      writer.raw(result.response)
      writer.endObject()
    }
    writer.endArray()
    return writer.bytes
  }

  /// Parses an array of results; nil if the text is malformed.
  package static func results(_ json: [UInt8]) -> [KeyedResult]? {
    guard let root = try? JSONDocument(parsing: json).root else { return nil }
    var results: [KeyedResult] = []
    for node in root.elements {
      guard let key = node["key"]?.string, let response = node["response"],
        let fingerprint = node["fingerprint"]?.string.flatMap({ Digest(text: $0.utf8Span.span) }),
        case .value(let revision)? = node["revision"]?.integer(), case .value(let time)? = node["time"]?.integer()
      else { return nil }
      results.append(
        KeyedResult(
          key: key, fingerprint: fingerprint, revision: Int(revision), time: time, response: Array(response.text)))
    }
    return results
  }
}
