/// The identity of a request within a distributed trace (W3C Trace Context, https://www.w3.org/TR/trace-context/).
package struct TraceContext: Sendable, Equatable {
  /// The trace id, which all requests of the trace share; never all zeros (§3.2.2.3).
  package let trace: (high: UInt64, low: UInt64)
  /// The id of this span, called `parent-id` in the header; never zero (§3.2.2.4).
  package let span: UInt64
  /// The trace flags: bit 0 is *sampled*, bit 1 is *random-trace-id* (§3.2.2.5).
  package let flags: UInt8

  private static let knownFlags: UInt8 = 0x03

  package static func == (lhs: TraceContext, rhs: TraceContext) -> Bool {
    lhs.trace == rhs.trace && lhs.span == rhs.span && lhs.flags == rhs.flags
  }

  private init(trace: (UInt64, UInt64), span: UInt64, flags: UInt8) {
    self.trace = trace
    self.span = span
    self.flags = flags
  }

  /// Parses the value of a `traceparent` header (§3.2). Returns nil for a value that the specification says to ignore.
  package init?(parsing value: some Collection<UInt8>) {
    var reader = Reader(remaining: Array(value)[...])
    guard let version = reader.hex(2), version != 0xFF, reader.dash(),
      let high = reader.hex(16), let low = reader.hex(16), high | low != 0, reader.dash(),
      let span = reader.hex(16), span != 0, reader.dash(), let flags = reader.hex(2)
    else { return nil }
    // Later versions may append more data after another dash (§3.2.4).
    guard reader.remaining.isEmpty || version > 0 && reader.dash() else { return nil }
    self.init(trace: (high, low), span: span, flags: UInt8(truncatingIfNeeded: flags) & Self.knownFlags)
  }

  /// Creates the first span of a new trace, which is not sampled and has a random trace id.
  package init(using generator: inout some RandomNumberGenerator) {
    self.init(trace: (generator.next(), Self.id(&generator)), span: Self.id(&generator), flags: 0x02)
  }

  /// Returns a new span of the same trace, with the same flags.
  package func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
    TraceContext(trace: trace, span: Self.id(&generator), flags: flags)
  }

  /// Returns a random id with its lowest bit set, because an id of all zeros is invalid.
  private static func id(_ generator: inout some RandomNumberGenerator) -> UInt64 { generator.next() | 1 }

  /// The trace id as 32 lowercase hexadecimal digits.
  package var traceText: String { Self.hex(trace.high, 16) + Self.hex(trace.low, 16) }

  /// The value of a `traceparent` header, in version 00.
  package var text: String { "00-\(traceText)-\(Self.hex(span, 16))-\(Self.hex(UInt64(flags), 2))" }

  private static func hex(_ number: UInt64, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: width - digits.count) + digits
  }

  private struct Reader {
    var remaining: ArraySlice<UInt8>

    /// Reads exactly `count` hexadecimal digits. Only lowercase letters are valid (§3.2.2).
    mutating func hex(_ count: Int) -> UInt64? {
      guard remaining.count >= count else { return nil }
      var number: UInt64 = 0
      for byte in remaining.prefix(count) {
        switch byte {
        case 0x30...0x39: number = number << 4 | UInt64(byte - 0x30)
        case 0x61...0x66: number = number << 4 | UInt64(byte - 0x61 + 10)
        default: return nil
        }
      }
      remaining.removeFirst(count)
      return number
    }

    mutating func dash() -> Bool {
      guard remaining.first == UInt8(ascii: "-") else { return false }
      remaining.removeFirst()
      return true
    }
  }
}
