/// A violated invariant, found by a fuzz target.
public struct Finding: Error, Sendable, CustomStringConvertible {
  /// A human-readable description.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a finding if a condition is false.
func expect(_ holds: Bool, _ description: @autoclosure () -> String) throws(Finding) {
  if !holds { throw Finding(description()) }
}

/// Returns the result of a closure and converts any error it throws to a finding.
func attempt<T>(_ context: @autoclosure () -> String, _ body: () throws -> T) throws(Finding) -> T {
  do { return try body() } catch let finding as Finding { throw finding } catch {
    throw Finding("\(context()): \(error)")
  }
}

extension Sequence<UInt8> {
  /// The bytes as text, with ill-formed UTF-8 replaced by U+FFFD.
  var text: String { String(decoding: Array(self), as: UTF8.self) }
}

extension [UInt8] {
  /// Returns the bytes in chunks of the given size. The last chunk may be shorter.
  func chunks(ofCount size: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
