import BinderyText

extension ResponseWriter {
  /// Appends a field. Control characters in its value are replaced by spaces, which prevents response splitting.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: borrowing Span<UInt8>) {
    FieldName.withLineStart(of: name) { start in
      edit { bytes in
        bytes.append(addingCapacity: start.count + value.count + 2) { $0.append(line: start, value: value) }
      }
    }
  }

  /// Appends a field. Control characters in its value are replaced by spaces.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: String) { field(name, value.utf8.span) }

  /// Appends a field with a nonnegative number.
  package mutating func field(_ name: FieldName, _ value: Int) {
    FieldName.withLineStart(of: name) { start in
      edit { bytes in
        bytes.append(addingCapacity: start.count + Self.decimalDigits + 2) { output in
          output.append(copying: start)
          output.append(decimal: UInt64(value))
          output.appendLineEnd()
        }
      }
    }
  }

  /// Appends several fields at once, which is faster than separate calls.
  ///
  /// - Parameters:
  ///   - capacity: The maximum size of the field lines in bytes.
  ///   - build: Appends field lines, and nothing else.
  package mutating func fields(upTo capacity: Int, building build: (inout OutputSpan<UInt8>) -> Void) {
    edit { bytes in bytes.append(addingCapacity: capacity, initializingWith: build) }
  }

  /// Appends a field with a custom name. Bytes that are not allowed in a name are replaced by `-`.
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
