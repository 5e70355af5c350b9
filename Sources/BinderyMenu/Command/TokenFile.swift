import BinderyAPI
import BinderySystem
import FoundationEssentials

/// A file of tokens: one a line; empty lines and those that begin with `#` are passed over.
struct TokenFile: Sendable {
  let path: String

  /// More is no file of tokens.
  private static let maximumBytes = 64 * 1024

  /// - Throws: in words that repeat nothing of what the file holds.
  func read() throws(TokenFileError) -> [AccessToken] {
    guard let status = FileStatus(path) else { throw TokenFileError("\(path) cannot be found") }
    guard status.isRegular else { throw TokenFileError("\(path) is no file") }
    guard status.size <= Self.maximumBytes else { throw TokenFileError("\(path) is too large for a file of tokens") }
    guard let content = try? Data(contentsOf: URL(filePath: path)) else {
      throw TokenFileError("\(path) cannot be read")
    }
    let tokens = try parse(Array(content))
    guard !tokens.isEmpty else { throw TokenFileError("\(path) holds no token") }
    return tokens
  }

  private func parse(_ content: [UInt8]) throws(TokenFileError) -> [AccessToken] {
    var tokens: [AccessToken] = []
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let line = Self.trimmed(line)
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      do throws(AccessToken.Malformed) {
        tokens.append(try AccessToken(line))
      } catch { throw TokenFileError("\(path), line \(index + 1): \(error)") }
    }
    return tokens
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
    var line = line.drop(while: blanks.contains)
    while let last = line.last, blanks.contains(last) { line.removeLast() }
    return line
  }

  /// Whether others on this machine may read it.
  var isExposed: Bool { FileStatus(path)?.isReadableByAll ?? false }
}

/// Why the tokens of a file cannot be had.
struct TokenFileError: Error, Hashable, Sendable {
  let message: String

  init(_ message: String) { self.message = message }
}
