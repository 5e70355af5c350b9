/// What ties a request to others of the same undertaking (W3C Trace Context, https://www.w3.org/TR/trace-context/).
package struct TraceContext: Sendable, Equatable {
  /// Of the whole undertaking; never all zeros.
  package let trace: (high: UInt64, low: UInt64)
  /// Of one part of it; never zero.
  package let span: UInt64
  /// What is known of how the trace began: whether somebody records it, and whether its id is random.
  package let flags: UInt8

  private static let knownFlags: UInt8 = 0x03

  package static func == (one: TraceContext, other: TraceContext) -> Bool {
    one.trace == other.trace && one.span == other.span && one.flags == other.flags
  }

  private init(trace: (UInt64, UInt64), span: UInt64, flags: UInt8) {
    self.trace = trace
    self.span = span
    self.flags = flags
  }

  /// Reads the value of a `traceparent` field (§3.2); nil where it is to be ignored.
  package init?(parsing value: some Collection<UInt8>) {
    var reader = Reader(rest: Array(value)[...])
    guard let version = reader.hex(2), version != 0xFF, reader.dash(),
      let high = reader.hex(16), let low = reader.hex(16), high | low != 0, reader.dash(),
      let span = reader.hex(16), span != 0, reader.dash(), let flags = reader.hex(2)
    else { return nil }
    // Later versions may say more, behind another dash.
    guard reader.rest.isEmpty || version > 0 && reader.dash() else { return nil }
    self.init(trace: (high, low), span: span, flags: UInt8(truncatingIfNeeded: flags) & Self.knownFlags)
  }

  /// Begins a trace that nobody has asked to be recorded.
  package init(using generator: inout some RandomNumberGenerator) {
    self.init(trace: (generator.next(), Self.id(&generator)), span: Self.id(&generator), flags: 0x02)
  }

  /// The next part of the same undertaking.
  package func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
    TraceContext(trace: trace, span: Self.id(&generator), flags: flags)
  }

  private static func id(_ generator: inout some RandomNumberGenerator) -> UInt64 { generator.next() | 1 }

  /// 32 hexadecimal digits.
  package var traceText: String { Self.hex(trace.high, 16) + Self.hex(trace.low, 16) }

  /// In the form of the field, version 00.
  package var text: String { "00-\(traceText)-\(Self.hex(span, 16))-\(Self.hex(UInt64(flags), 2))" }

  private static func hex(_ number: UInt64, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: width - digits.count) + digits
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    /// So many digits, letters in lower case only (§3.2.2).
    mutating func hex(_ count: Int) -> UInt64? {
      guard rest.count >= count else { return nil }
      var number: UInt64 = 0
      for byte in rest.prefix(count) {
        switch byte {
        case 0x30...0x39: number = number << 4 | UInt64(byte - 0x30)
        case 0x61...0x66: number = number << 4 | UInt64(byte - 0x61 + 10)
        default: return nil
        }
      }
      rest.removeFirst(count)
      return number
    }

    mutating func dash() -> Bool {
      guard rest.first == UInt8(ascii: "-") else { return false }
      rest.removeFirst()
      return true
    }
  }
}
