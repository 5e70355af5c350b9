import Foundation
import Testing

/// What holds for every Swift file.
struct SwiftTests {
  @Test func `no line is longer than 120 columns`() {
    let places = Repository.swift.flatMap { $0.places { $0.text.count > 120 } }
    #expect(places.isEmpty)
  }

  @Test func `no source file is longer than 400 lines`() {
    #expect(Repository.sources.filter { $0.lines.count > 401 }.isEmpty)
  }

  @Test func `unsafe code stands only in the modules that talk to C`() {
    let unsafe = /\b(?:unsafe|Unsafe\w+|withUnsafe\w+)\b/
    let places = Repository.sources.filter { !Layers.unsafe.contains($0.module) }
      .flatMap { $0.places { $0.code.contains(unsafe) } }
    #expect(places.isEmpty)
  }

  @Test func `tests are named by sentences`() {
    let tests = Repository.swift.filter { $0.path.hasPrefix("Tests/") }
    var names: [String] = []
    for file in tests {
      var isTest = false
      for line in file.lines {
        if line.trimmed.hasPrefix("@Test") { isTest = true }
        guard isTest, let name = line.code.firstMatch(of: /\bfunc (`[^`]+`|\w+)/)?.output.1 else { continue }
        isTest = false
        names.append(String(name))
        #expect(name.hasPrefix("`") && name.contains(" "), "\(file):\(line.number)")
      }
    }
    #expect(names.count > 100)
  }

  /// Members that a protocol asks for are documented there, and stored properties where their names do not say it all.
  @Test func `public types and functions are documented`() {
    let declaration =
      /^(?:public|open) (?:(?:final|indirect|static|mutating|nonisolated|consuming|borrowing|convenience) )*(?:struct|enum|class|actor|protocol|func) (`[^`]+`|\w+|[^\s\w(]+)/
    let witnesses: Set = [
      "Iterator", "advanced", "decode", "distance", "encode", "hash", "index", "makeAsyncIterator", "makeIterator",
      "next", "respond", "settle",
    ]
    for file in Repository.sources {
      for (index, line) in file.lines.enumerated() {
        guard let name = line.trimmed.prefixMatch(of: declaration)?.output.1 else { continue }
        let isOperator = name.first.map { !$0.isLetter && $0 != "_" && $0 != "`" } ?? false
        if isOperator || witnesses.contains(String(name)) { continue }
        let above = file.lines[..<index].last { !$0.trimmed.hasPrefix("@") }
        #expect(above?.trimmed.hasPrefix("///") == true, "\(file):\(line.number): \(line.trimmed)")
      }
    }
  }
}
