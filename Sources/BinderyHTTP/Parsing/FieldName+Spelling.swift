extension FieldName {
  /// Lends the name's own bytes with the colon and the blank that follow it in a field line.
  @inline(__always)
  static func withLineStart(of name: FieldName, _ body: (borrowing Span<UInt8>) -> Void) {
    let number = Int(name.rawValue)
    let end = Int(lineStarts.ends[number])
    let start = number == 0 ? 0 : Int(lineStarts.ends[number - 1])
    body(lineStarts.text.span.extracting(start..<end))
  }
}

/// `Name: ` of all names, one behind the other: made once, because a name is written several times per response.
private let lineStarts: (text: [UInt8], ends: [64 of UInt16]) = {
  var text: [UInt8] = []
  var ends = [64 of UInt16](repeating: 0)
  for name in FieldName.allCases {
    if name != .other { text.append(contentsOf: "\(name.spelling): ".utf8) }
    ends[Int(name.rawValue)] = UInt16(text.count)
  }
  return (text, ends)
}()
