import Foundation
import Testing

/// Rules for every hand-written text file.
struct TextTests {
  @Test func `the repository is found`() {
    #expect(Repository.file("Package.swift") != nil)
    #expect(Repository.sources.count > 50)
  }

  @Test func `no file contains a marker of unfinished work`() {
    // Split, so that this file does not contain the markers itself.
    let marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]
    expectNone { line in
      // Check for substrings first, because splitting is slow and almost no line contains a marker.
      guard marks.contains(where: { line.text.contains($0) }) else { return false }
      return line.text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { marks.contains(String($0)) }
    }
  }

  @Test func `no line has trailing whitespace`() {
    expectNone { $0.text.hasSuffix(" ") || $0.text.hasSuffix("\t") || $0.text.hasSuffix("\r") }
  }

  @Test func `every file ends with exactly one newline`() {
    let violations = Repository.files.filter { !$0.text.hasSuffix("\n") || $0.text.hasSuffix("\n\n") }
    #expect(violations.isEmpty)
  }

  @Test func `no file contains an absolute path of a developer's machine`() {
    let folders = ["ho" + "me", "ro" + "ot", "Use" + "rs", "wo" + "rk"].map { "/" + $0 + "/" }
    expectNone { line in
      folders.contains { folder in
        // Match only at the start of a path, not inside another path or a URL.
        line.text.ranges(of: folder).contains { range in
          guard let before = line.text[..<range.lowerBound].last else { return true }
          return !(before.isLetter || before.isNumber || "./}-_".contains(before))
        }
      }
    }
  }

  private func expectNone(_ isViolation: (SourceFile.Line) -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let violations = Repository.files.flatMap { $0.violations(where: isViolation) }
    #expect(violations.isEmpty, sourceLocation: sourceLocation)
  }
}
