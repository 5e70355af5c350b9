import Foundation
import Testing

/// The examples and what their documentation says about them.
struct ExampleTests {
  /// Returns the number of lines of files.
  private func lineCount(_ paths: String...) throws -> Int {
    var count = 0
    for path in paths {
      let file = try #require(Repository.file(path), "no file \(path)")
      count += file.lines.count - 1
    }
    return count
  }

  @Test func `the counter has at most 60 lines by hand and 30 with the macro, as its README says`() throws {
    let program = "Examples/Counter/Sources/Counter/Counter.swift"
    let byHand = try lineCount(program, "Examples/Counter/Sources/Counter/CounterState.swift")
    let byMacro = try lineCount(program, "Tests/Macros/Models/CounterState.swift")
    #expect(byHand <= 60 && byMacro <= 30)
    for path in ["Examples/Counter/README.md", "README.md"] {
      let text = try #require(Repository.file(path)).text
      #expect(text.contains("\(byHand) lines") && text.contains("\(byMacro)"), "\(path): \(byHand), \(byMacro)")
    }
  }

  @Test(arguments: ["Counter", "DeviceFleet"])
  func `an example is a whole project`(_ name: String) throws {
    for file in ["Package.swift", "README.md", "Dockerfile"] {
      #expect(Repository.file("Examples/\(name)/\(file)") != nil, "\(file)")
    }
    let sources = Repository.swift.filter { $0.path.hasPrefix("Examples/\(name)/Sources/") }
    #expect(!sources.isEmpty)
    // Like the programs of users, they have no access to the modules of Bindery.
    for source in sources {
      #expect(source.imports.subtracting(["Bindery", "FoundationEssentials"]) == [], "\(source)")
    }
  }
}
