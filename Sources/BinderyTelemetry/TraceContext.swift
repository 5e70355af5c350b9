import BinderyText

/// The identity of a request within a distributed trace (W3C Trace Context, https://www.w3.org/TR/trace-context/).
///
/// It is read from the bytes of a request and written in place, without strings, because a tracing proxy sends a header
/// with every request.
package struct TraceContext: Sendable, Equatable {
  /// The trace id, which all requests of the trace share; never all zeros (§3.2.2.3).
  package let trace: (high: UInt64, low: UInt64)
  /// The id of this span, called `parent-id` in the header; never zero (§3.2.2.4).
  package let span: UInt64
  /// The trace flags: bit 0 is *sampled*, bit 1 is *random-trace-id* (§3.2.2.5).
  package let flags: UInt8

  private static let knownFlags: UInt8 = 0x03

  /// The value of a `traceparent` header in version 00 (§3.2): 2, 32, 16 and 2 hexadecimal digits, with dashes between.
  package typealias Text = InlineArray<55, UInt8>

  package static func == (lhs: TraceContext, rhs: TraceContext) -> Bool {
    lhs.trace == rhs.trace && lhs.span == rhs.span && lhs.flags == rhs.flags
  }

  private init(trace: (UInt64, UInt64), span: UInt64, flags: UInt8) {
    self.trace = trace
    self.span = span
    self.flags = flags
  }

  /// Parses the value of a `traceparent` header (§3.2). Returns nil for a value that the specification says to ignore.
  package init?(parsing value: Span<UInt8>) {
    guard value.count >= 55, value[2] == Self.dash, value[35] == Self.dash, value[52] == Self.dash,
      let high = value.sixteenDigits(at: 3), let low = value.sixteenDigits(at: 19), high | low != 0,
      let span = value.sixteenDigits(at: 36), span != 0,
      let (version, flags) = value.versionAndFlags, version != 0xFF
    else { return nil }
    // Later versions may append more data after another dash (§3.2.4).
    guard value.count == 55 || version > 0 && value[55] == Self.dash else { return nil }
    self.init(trace: (high, low), span: span, flags: flags & Self.knownFlags)
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

  /// The value of a `traceparent` header, in version 00.
  package var text: Text {
    var text = Text(repeating: Self.dash)
    var bytes = text.mutableSpan
    bytes.store(UInt16(0x3030), at: 0)
    bytes.store(hex: trace.high, at: 3)
    bytes.store(hex: trace.low, at: 19)
    bytes.store(hex: span, at: 36)
    bytes.store(UInt16(truncatingIfNeeded: HexadecimalDigits.text(of: UInt32(flags)) >> 48), at: 53)
    return text
  }

  /// The trace id as 32 lowercase hexadecimal digits, for logs.
  package var traceText: String {
    let text = text
    return String(decoding: (3..<35).map { text[$0] }, as: UTF8.self)
  }

  private static var dash: UInt8 { UInt8(ascii: "-") }
}

/// A fast generator of span ids. They need to be unique, not unpredictable, so a request does not have to ask the
/// kernel for random bytes.
///
/// SplitMix64 (https://doi.org/10.1145/2714064.2660195) with a random seed.
package struct SpanIDGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator with a random seed.
  package init() {
    var system = SystemRandomNumberGenerator()
    state = system.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension Span<UInt8> {
  /// Returns the number that sixteen hexadecimal digits denote. Only lowercase letters are valid (§3.2.2).
  @inline(__always)
  fileprivate func sixteenDigits(at index: Int) -> UInt64? {
    guard let high = Self.number(word(at: index)), let low = Self.number(word(at: index + 8)) else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// The version and the flags, which have two digits each.
  @inline(__always)
  fileprivate var versionAndFlags: (version: UInt8, flags: UInt8)? {
    let version = UInt64(self[0]) << 32 | UInt64(self[1]) << 40
    let flags = UInt64(self[53]) << 48 | UInt64(self[54]) << 56
    guard let number = Self.number(0x3030_3030 | version | flags) else { return nil }
    return (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
  }

  /// Returns the number that eight digits denote. Bit 5 is set in digits and lowercase letters, not in uppercase ones.
  @inline(__always)
  private static func number(_ text: UInt64) -> UInt32? {
    ~text & 0x2020_2020_2020_2020 == 0 ? HexadecimalDigits.number(text) : nil
  }
}

extension MutableSpan<UInt8> {
  /// Overwrites sixteen bytes with the lowercase hexadecimal digits of a number.
  @inline(__always)
  fileprivate mutating func store(hex number: UInt64, at index: Int) {
    store(HexadecimalDigits.text(of: UInt32(truncatingIfNeeded: number >> 32)), at: index)
    store(HexadecimalDigits.text(of: UInt32(truncatingIfNeeded: number)), at: index + 8)
  }
}
