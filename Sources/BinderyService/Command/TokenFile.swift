import BinderyAPI
import BinderySystem

/// A file of access tokens, one per line. Empty lines and lines that start with `#` are ignored.
struct TokenFile: Sendable {
  let path: String
  /// Whether the file may be without tokens. The file of read-only tokens may; without a token that may write, nobody
  /// could use the service.
  let mayBeEmpty: Bool

  /// The maximum size of a token file. A larger file is rejected without being read.
  private static let maximumBytes = 64 * 1024

  /// Reads the tokens.
  ///
  /// - Throws: ``CommandError``. Its message never contains content of the file.
  func read() throws(CommandError) -> [AccessToken] {
    guard let status = FileStatus(path) else { throw CommandError(.configuration, "\(path) does not exist") }
    guard status.isRegular else { throw CommandError(.configuration, "\(path) is not a regular file") }
    guard status.size <= Self.maximumBytes else {
      throw CommandError(.configuration, "\(path) is too large: a token file has at most \(Self.maximumBytes) bytes")
    }
    let content: [UInt8]
    do throws(Errno) { content = try File.bytes(of: path, atMost: Self.maximumBytes) } catch {
      throw CommandError(.configuration, "cannot read \(path): \(error)")
    }
    let tokens = try parse(content)
    guard !tokens.isEmpty || mayBeEmpty else { throw CommandError(.configuration, "\(path) contains no token") }
    return tokens
  }

  private func parse(_ content: [UInt8]) throws(CommandError) -> [AccessToken] {
    var tokens: [AccessToken] = []
    var firstLines: [AccessToken: Int] = [:]
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let line = Self.trimmed(line)
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      let token: AccessToken
      do throws(AccessToken.Malformed) { token = try AccessToken(line) } catch {
        throw CommandError(.configuration, "\(path), line \(index + 1): \(error)")
      }
      // The history could not tell which name wrote.
      if let first = firstLines.updateValue(index + 1, forKey: token) {
        throw CommandError(.configuration, "\(path), line \(index + 1): the token is also in line \(first)")
      }
      tokens.append(token)
    }
    return tokens
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
    var line = line.drop(while: blanks.contains)
    while let last = line.last, blanks.contains(last) { line.removeLast() }
    return line
  }

  /// Whether other users of this machine can read the file.
  var isExposed: Bool { FileStatus(path)?.isReadableByOthers ?? false }
}
