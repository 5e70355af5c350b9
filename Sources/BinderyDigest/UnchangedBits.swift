internal import CBinderyXXHash

/// Runs `body` on a value and returns whether it left the value's bits unchanged.
///
/// - Returns: true if the value is certainly unchanged, so no comparison is necessary; false if it may have changed,
///   because different bits can represent equal values.
/// - Complexity: O(`MemoryLayout<Value>.size`), without referenced storage.
package func leavesBitsUnchanged<Value>(_ value: inout Value, _ body: (inout Value) -> Void) -> Bool {
  // The copy retains all referenced objects. If one of them were released, a new object could be allocated at the same
  // address, and the bits would be equal although the value changed.
  let copy = value
  defer { withExtendedLifetime(copy) {} }
  let size = MemoryLayout<Value>.size
  // The compiler allocates on the stack only if the size is a constant.
  if size <= 512 {
    return unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { buffer in
      unsafe leavesBitsUnchanged(&value, body, UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]))
    }
  }
  return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
    unsafe leavesBitsUnchanged(&value, body, buffer)
  }
}

/// Returns whether two values have the same bits, so that they are certainly the same value.
///
/// For a collection of the standard library this means that both share their storage. Equal values can have different
/// bits.
package func haveSameBits<Value>(_ a: Value, _ b: Value) -> Bool {
  unsafe withUnsafeBytes(of: a) { a in
    unsafe withUnsafeBytes(of: b) { b in
      guard let start = a.baseAddress, let otherStart = b.baseAddress else { return true }
      return unsafe memcmp(start, otherStart, a.count) == 0
    }
  }
}

/// - Parameter before: a buffer for the bits of the value before the call of `body`, as long as the value.
private func leavesBitsUnchanged<Value>(
  _ value: inout Value, _ body: (inout Value) -> Void, _ before: UnsafeMutableRawBufferPointer
) -> Bool {
  unsafe withUnsafeMutablePointer(to: &value) { value in
    guard let before = before.baseAddress else {
      unsafe body(&value.pointee)
      return true
    }
    let size = MemoryLayout<Value>.size
    unsafe memcpy(before, value, size)
    unsafe body(&value.pointee)
    return unsafe memcmp(value, before, size) == 0
  }
}
