import Foundation
import Testing

/// What holds for every file that people write.
struct TextTests {
  @Test func `the repository is found`() {
    #expect(Repository.file("Package.swift") != nil)
    #expect(Repository.sources.count > 50)
  }

  @Test func `nothing is left for later`() {
    // In two parts, or this file would name itself.
    let marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]
    expectNone { line in
      // The cheap look first: nearly no line has one of them even in a longer word.
      guard marks.contains(where: { line.text.contains($0) }) else { return false }
      return line.text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { marks.contains(String($0)) }
    }
  }

  @Test func `no line ends in a blank`() {
    expectNone { $0.text.hasSuffix(" ") || $0.text.hasSuffix("\t") || $0.text.hasSuffix("\r") }
  }

  @Test func `every file ends in one newline`() {
    let bad = Repository.files.filter { !$0.text.hasSuffix("\n") || $0.text.hasSuffix("\n\n") }
    #expect(bad.isEmpty)
  }

  @Test func `no file names a machine's own folders`() {
    let folders = ["ho" + "me", "ro" + "ot", "Use" + "rs", "wo" + "rk"].map { "/" + $0 + "/" }
    expectNone { line in
      folders.contains { folder in
        // At the start of a path, not in the middle of one or of a URL.
        line.text.ranges(of: folder).contains { range in
          guard let before = line.text[..<range.lowerBound].last else { return true }
          return !(before.isLetter || before.isNumber || "./}-_".contains(before))
        }
      }
    }
  }

  private func expectNone(_ breaks: (SourceFile.Line) -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let places = Repository.files.flatMap { $0.places(where: breaks) }
    #expect(places.isEmpty, sourceLocation: sourceLocation)
  }
}
