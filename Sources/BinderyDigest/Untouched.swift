internal import CBinderyXXHash

/// Runs `body` on a value and tells whether it has left every bit as it was: then it has changed nothing, and nothing
/// needs to be compared.
///
/// - Returns: false says nothing: other bits may still be the same value.
/// - Complexity: O(size of the value itself, without what it refers to).
package func leavesUntouched<Value>(_ value: inout Value, _ body: (inout Value) -> Void) -> Bool {
  // Holds on to all that the value refers to: were something let go, something else could stand at its address.
  let copy = value
  defer { withExtendedLifetime(copy) {} }
  let size = MemoryLayout<Value>.size
  // Only a size that the compiler knows is taken from the stack.
  if size <= 512 {
    return unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { room in
      unsafe leavesUntouched(&value, body, UnsafeMutableRawBufferPointer(rebasing: room[..<size]))
    }
  }
  return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { room in
    unsafe leavesUntouched(&value, body, room)
  }
}

/// - Parameter before: room for the bits that the value has before.
private func leavesUntouched<Value>(
  _ value: inout Value, _ body: (inout Value) -> Void, _ before: UnsafeMutableRawBufferPointer
) -> Bool {
  unsafe withUnsafeBytes(of: &value) { unsafe before.copyMemory(from: $0) }
  body(&value)
  return unsafe withUnsafeBytes(of: &value) { now in
    guard let now = now.baseAddress, let then = before.baseAddress else { return true }
    return unsafe memcmp(now, then, before.count) == 0
  }
}
