/// Comparison of secrets.
package enum ConstantTime {
  /// Whether two sequences of bytes are the same, told in a time that depends on their lengths alone.
  ///
  /// - Complexity: O(*n*).
  package static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    guard first.count == second.count else { return false }
    var difference: UInt8 = 0
    for index in first.indices { difference |= first[index] ^ second[index] }
    return difference == 0
  }
}
