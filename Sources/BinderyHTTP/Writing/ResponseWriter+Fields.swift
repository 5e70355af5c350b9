extension ResponseWriter {
  /// Appends a field; control characters in its value become blanks, so that it cannot break out of its line.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: borrowing Span<UInt8>) {
    FieldName.withLineStart(of: name) { start in
      edit { bytes in
        bytes.append(addingCapacity: start.count + value.count + 2) { $0.append(line: start, value: value) }
      }
    }
  }

  /// Appends a field; control characters in its value become blanks.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: [UInt8]) { field(name, value.span) }

  /// Appends a field; control characters in its value become blanks.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: String) { field(name, value.utf8.span) }

  /// Appends a field with a number that is not negative.
  package mutating func field(_ name: FieldName, _ value: Int) {
    FieldName.withLineStart(of: name) { start in
      edit { bytes in
        bytes.append(addingCapacity: start.count + Self.decimalDigits + 2) { output in
          output.append(copying: start)
          output.append(decimal: value)
          output.appendLineEnd()
        }
      }
    }
  }

  /// Appends a field whose value is built in place; control characters in it become blanks.
  ///
  /// - Parameters:
  ///   - capacity: the most bytes that the value has.
  ///   - build: appends to the bytes, and leaves alone what stands there.
  package mutating func field(
    _ name: FieldName, upTo capacity: Int, building build: (inout OutputSpan<UInt8>) -> Void
  ) {
    FieldName.withLineStart(of: name) { start in
      edit { bytes in
        bytes.append(addingCapacity: start.count + capacity + 2) { output in
          output.append(copying: start)
          let valueStart = output.count
          build(&output)
          output.blankControls(from: valueStart)
          output.appendLineEnd()
        }
      }
    }
  }

  /// Appends several fields at once: what each costs beside its bytes is paid once.
  ///
  /// - Parameters:
  ///   - capacity: the most bytes that the lines have.
  ///   - build: appends lines, and nothing else.
  package mutating func fields(upTo capacity: Int, building build: (inout OutputSpan<UInt8>) -> Void) {
    edit { bytes in bytes.append(addingCapacity: capacity, initializingWith: build) }
  }

  /// Appends a field with a name of one's own; bytes that are no part of a name become `-`.
  ///
  /// - Complexity: O(length of name and value).
  package mutating func field(custom name: String, _ value: String) {
    edit { bytes in
      for byte in name.utf8 { bytes.append(ByteClass.token.contains(byte) ? byte : UInt8(ascii: "-")) }
    }
    append(": ")
    edit { bytes in
      for byte in value.utf8 { bytes.append(ByteClass.fieldValue.contains(byte) ? byte : .space) }
    }
    append("\r\n")
  }
}
