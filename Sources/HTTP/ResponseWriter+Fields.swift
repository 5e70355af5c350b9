extension ResponseWriter {
  /// Appends a field; control characters in its value become blanks, so that it cannot break out of its line.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: String) {
    begin(name.spelling)
    let start = bytes.count
    append(value)
    seal(from: start)
  }

  /// Appends a field; control characters in its value become blanks.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: borrowing Span<UInt8>) {
    begin(name.spelling)
    let start = bytes.count
    append(value)
    seal(from: start)
  }

  /// Appends a field with a number that is not negative.
  package mutating func field(_ name: FieldName, _ value: Int) {
    begin(name.spelling)
    appendDecimal(value)
    append("\r\n")
  }

  /// Appends a field whose value is built in place; control characters in it become blanks.
  ///
  /// - Parameter build: appends to the bytes, and leaves alone what stands there.
  package mutating func field(_ name: FieldName, building build: (inout [UInt8]) -> Void) {
    begin(name.spelling)
    let start = bytes.count
    edit(build)
    seal(from: start)
  }

  /// Appends a field with a name of one's own; bytes that are no part of a name become `-`.
  ///
  /// - Complexity: O(length of name and value).
  package mutating func field(custom name: String, _ value: String) {
    let place = bytes.count
    begin(name)
    let start = bytes.count
    append(value)
    seal(name: place..<start - ": ".utf8.count, from: start)
  }

  private mutating func begin(_ name: String) {
    append(name)
    append(": ")
  }
}
