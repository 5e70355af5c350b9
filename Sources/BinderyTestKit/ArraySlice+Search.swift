import Foundation

extension ArraySlice<UInt8> {
  /// Returns the offset of the first byte with a value. A loop over megabytes of a stream would be slow in tests, which
  /// are not optimized.
  func firstOffset(of byte: UInt8) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      return unsafe memchr(start, Int32(byte), bytes.count).map { unsafe UnsafeRawPointer($0) - start }
    }
  }
}
