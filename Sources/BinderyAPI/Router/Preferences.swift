import BinderyHTTP

/// What a request would like (RFC 7240).
struct Preferences: Sendable {
  /// `return=minimal`: no content in the answer.
  var isMinimal = false
  /// `handling=strict`: refuse a write that a setter does not keep.
  var isStrict = false

  init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
    guard head.contains(.prefer) else { return }
    // Of a preference that stands more than once the first counts (RFC 7240 §2).
    var known: Set<Substring> = []
    head.forEach(.prefer) { range in
      for item in bytes.text(range).lowercased().split(whereSeparator: { $0 == "," || $0 == ";" }) {
        let preference = item.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        guard known.insert(preference.prefix { $0 != "=" }).inserted else { continue }
        switch preference {
        case "return=minimal": isMinimal = true
        case "handling=strict": isStrict = true
        default: continue
        }
      }
    }
  }

  /// What was followed, for `Preference-Applied`.
  var applied: String? {
    switch (isMinimal, isStrict) {
    case (true, true): "return=minimal, handling=strict"
    case (true, false): "return=minimal"
    case (false, true): "handling=strict"
    case (false, false): nil
    }
  }
}
