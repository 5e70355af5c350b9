import Foundation
import Testing

/// Rules for every Swift file.
struct SwiftTests {
  /// Tests are exempt, because a long row in a table of test cases is easier to read on one line.
  @Test func `no line of the sources is longer than 120 columns`() {
    let violations = Repository.sources.flatMap { $0.violations { $0.text.count > 120 } }
    #expect(violations.isEmpty)
  }

  @Test func `no source file is longer than 400 lines`() {
    #expect(Repository.sources.filter { $0.lines.count > 401 }.isEmpty)
  }

  @Test func `only the modules that call C contain unsafe code`() {
    let unsafe = /\b(?:unsafe|Unsafe\w+|withUnsafe\w+)\b/
    let string = /"(?:[^"\\]|\\.)*"/
    let violations = Repository.sources.filter { !Layers.unsafe.contains($0.module) }.flatMap { file in
      // Check for the substring first, because regular expressions are slow and almost no line contains it.
      file.violations { $0.code.contains("nsafe") && $0.code.replacing(string, with: "").contains(unsafe) }
    }
    #expect(violations.isEmpty)
  }

  @Test func `test names are sentences`() {
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

  /// Members of conformance extensions are exempt, because the protocol documents them.
  @Test func `public types and functions are documented`() {
    let declaration =
      /public (?:(?:final|indirect|static|mutating|nonisolated) )*(?:struct|enum|class|actor|protocol|func) (\w+)/
    let witnesses: Set = [
      "expansion", "hash", "makeAsyncIterator", "makeIterator", "next", "settle", "Iterator", "AsyncIterator",
    ]
    for file in Repository.sources {
      var conforms = false
      for (index, line) in file.lines.enumerated() {
        if line.text.hasPrefix("extension ") { conforms = line.text.split(separator: " where ")[0].contains(":") }
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
