import Foundation
import Testing

/// What holds for every Swift file.
struct SwiftTests {
  /// Tables of test cases may: a row is read as a row.
  @Test func `no line of the sources is longer than 120 columns`() {
    let places = Repository.sources.flatMap { $0.places { $0.text.count > 120 } }
    #expect(places.isEmpty)
  }

  @Test func `no source file is longer than 400 lines`() {
    #expect(Repository.sources.filter { $0.lines.count > 401 }.isEmpty)
  }

  @Test func `unsafe code stands only in the modules that talk to C`() {
    let unsafe = /\b(?:unsafe|Unsafe\w+|withUnsafe\w+)\b/
    let string = /"(?:[^"\\]|\\.)*"/
    let places = Repository.sources.filter { !Layers.unsafe.contains($0.module) }.flatMap { file in
      // The cheap look first: nearly no line has the word.
      file.places { $0.code.contains("nsafe") && $0.code.replacing(string, with: "").contains(unsafe) }
    }
    #expect(places.isEmpty)
  }

  @Test func `tests are named by sentences`() {
    let tests = Repository.swift.filter { $0.path.hasPrefix("Tests/") }
    var names: [String] = []
    for file in tests {
      var isTest = false
      for line in file.lines {
        if line.text.contains("@Test") { isTest = isTest || line.trimmed.hasPrefix("@Test") }
        guard isTest, line.text.contains("func "), let name = line.code.firstMatch(of: /\bfunc (`[^`]+`|\w+)/)?.output.1
        else { continue }
        isTest = false
        names.append(String(name))
        #expect(name.hasPrefix("`") && name.contains(" "), "\(file):\(line.number)")
      }
    }
    #expect(names.count > 100)
  }

  /// What an extension adds to conform is documented where the protocol asks for it; a stored property's name mostly
  /// says it all.
  @Test func `public types and functions are documented`() {
    let declaration =
      /public (?:(?:final|indirect|static|mutating|nonisolated) )*(?:struct|enum|class|actor|protocol|func) (\w+)/
    let witnesses: Set = ["hash", "makeAsyncIterator", "makeIterator", "next", "settle", "Iterator", "AsyncIterator"]
    for file in Repository.sources {
      var conforms = false
      for (index, line) in file.lines.enumerated() {
        if line.text.hasPrefix("extension ") { conforms = line.text.contains(":") }
        if line.text.hasPrefix("}") { conforms = false }
        if conforms || !line.text.contains("public ") { continue }
        guard let name = line.trimmed.prefixMatch(of: declaration)?.output.1 else { continue }
        if witnesses.contains(String(name)) { continue }
        let above = file.lines[..<index].last { !$0.trimmed.hasPrefix("@") }
        #expect(above?.trimmed.hasPrefix("///") == true, "\(file):\(line.number): \(line.trimmed)")
      }
    }
  }
}
