/// The fields of answers that differ in no more than some values of the same length, and in their content: written
/// once, and copied at once, with the end of the head and room for the number that tells the content's length.
package struct ResponseTemplate: Sendable {
  fileprivate let bytes: [UInt8]
  /// How many digits the length of the content has.
  package let lengthDigits: Int

  /// The form of no answer.
  package init() {
    bytes = []
    lengthDigits = 0
  }

  /// - Parameters:
  ///   - fields: what an answer says besides its content's length.
  ///   - length: of a content for which this is the form; those whose length has as many digits have the same.
  package init(_ fields: FieldLines, contentOf length: Int) {
    let fields = FieldLines { writer in
      writer.append(fields)
      writer.field(.contentLength, length)
    }
    bytes = fields.bytes + [.carriageReturn, .lineFeed]
    lengthDigits = length.decimalDigits
  }
}

extension ResponseWriter {
  /// Ends a response with a form and its content.
  ///
  /// - Parameters:
  ///   - content: as long as the form is for, in digits.
  ///   - write: is told where the form's fields begin, and writes values over those of the same length there.
  /// - Complexity: O(length of form and content), at the speed of a copy.
  package mutating func finish(
    _ form: ResponseTemplate, content: [UInt8], overwriting write: (inout MutableSpan<UInt8>, Int) -> Void
  ) {
    precondition(allowsContent && content.count.decimalDigits == form.lengthDigits, "the form is for another answer")
    let isHead = context.isHead
    edit { bytes in
      let start = bytes.count
      bytes.append(contentsOf: form.bytes)
      var span = bytes.mutableSpan
      span.overwrite(decimal: content.count, endingAt: span.count - "\r\n\r\n".utf8.count)
      write(&span, start)
      if !isHead { bytes.append(contentsOf: content) }
    }
  }
}

extension MutableSpan<UInt8> {
  /// Writes a number that is not negative over as many bytes as it has digits, the last of them before an index.
  package mutating func overwrite(decimal number: Int, endingAt end: Int) {
    var (place, rest) = (end, number.magnitude)
    repeat {
      place -= 1
      self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
  }
}

extension Int {
  /// How many decimal digits a number has that is not negative.
  package var decimalDigits: Int {
    var (digits, limit) = (1, 10)
    while self >= limit {
      digits += 1
      let (next, isOver) = limit.multipliedReportingOverflow(by: 10)
      if isOver { break }
      limit = next
    }
    return digits
  }
}
