/// Runs `body` on a value and tells whether it has left every bit as it was: then it has changed nothing, and nothing
/// needs to be compared.
///
/// - Returns: false says nothing: other bits may still be the same value.
/// - Complexity: O(size of the value itself, without what it refers to).
package func leavesUntouched<Value>(_ value: inout Value, _ body: (inout Value) -> Void) -> Bool {
  // Holds on to all that the value refers to: were something let go, something else could stand at its address.
  let copy = value
  defer { withExtendedLifetime(copy) {} }
  return unsafe withUnsafeTemporaryAllocation(
    byteCount: max(1, MemoryLayout<Value>.size), alignment: MemoryLayout<Value>.alignment
  ) { before in
    unsafe withUnsafeBytes(of: &value) { unsafe before.copyMemory(from: $0) }
    body(&value)
    return unsafe withUnsafeBytes(of: &value) { now in
      var difference: UInt8 = 0
      for index in 0..<now.count { unsafe difference |= now[index] ^ before[index] }
      return difference == 0
    }
  }
}
