/// Serialized header fields for responses that differ only in their content and in field values of fixed length. It
/// includes `Content-Length`, which is overwritten for each response, and the end of the head.
package struct ResponseTemplate: Sendable {
  fileprivate let bytes: [UInt8]
  /// The number of digits of the content length.
  package let lengthDigits: Int

  /// Creates an empty template.
  package init() {
    bytes = []
    lengthDigits = 0
  }

  /// Creates a template.
  ///
  /// - Parameters:
  ///   - fields: The header fields except `Content-Length`.
  ///   - length: A content length. The template is valid for all lengths with the same number of digits.
  package init(_ fields: FieldLines, contentLength length: Int) {
    let fields = FieldLines { writer in
      writer.append(fields)
      writer.field(.contentLength, length)
    }
    bytes = fields.bytes + [.carriageReturn, .lineFeed]
    lengthDigits = length.decimalDigits
  }
}

extension ResponseWriter {
  /// Ends a response with the fields of a template, and content that is one line.
  ///
  /// - Parameters:
  ///   - line: The line without its line feed. The number of digits of the content length must match the template.
  ///   - write: Overwrites field values with values of the same length. Its second argument is the index of the first
  ///     byte of the template.
  /// - Complexity: O(length of template and content), at the speed of a memory copy.
  package mutating func finish(
    _ template: ResponseTemplate, line: [UInt8], overwriting write: (inout MutableSpan<UInt8>, Int) -> Void
  ) {
    let length = line.count + 1
    precondition(
      allowsContent && length.decimalDigits == template.lengthDigits,
      "the template is for content of another length")
    let isHead = context.isHead
    edit { bytes in
      let start = bytes.count
      bytes.append(contentsOf: template.bytes)
      var span = bytes.mutableSpan
      span.overwrite(decimal: length, endingAt: span.count - "\r\n\r\n".utf8.count)
      write(&span, start)
      if isHead { return }
      bytes.append(contentsOf: line)
      bytes.append(.lineFeed)
    }
  }
}

extension MutableSpan<UInt8> {
  /// Overwrites bytes with a nonnegative decimal number whose last digit is before an index.
  package mutating func overwrite(decimal number: Int, endingAt end: Int) {
    var (index, rest) = (end, number.magnitude)
    repeat {
      index -= 1
      self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
  }
}

extension Int {
  /// The number of decimal digits of a nonnegative number.
  package var decimalDigits: Int {
    var (digits, limit) = (1, 10)
    while self >= limit {
      digits += 1
      let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
      if overflow { break }
      limit = next
    }
    return digits
  }
}
