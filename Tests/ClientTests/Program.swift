import BinderyCore
import BinderyMenu
import BinderyOpenAPI
import Foundation

/// A program that tests run.
enum Program {
  /// Returns whether a program is in the search path.
  static func isInstalled(_ name: String) -> Bool { path(of: name) != nil }

  private static func path(of name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Returns the path of a file of the project.
  static func file(_ path: String, source: String = #filePath) -> String {
    URL(fileURLWithPath: source).appending(path: "../../../" + path).standardized.path
  }

  /// Runs a program to its end.
  static func run(_ name: String, _ arguments: [String]) throws -> (code: Int32, output: Data, errors: Data) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path(of: name) ?? name)
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    // A program that writes more than a pipe holds to both would wait for this one; these write to one.
    let written = output.fileHandleForReading.readDataToEndOfFile()
    let messages = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, written, messages)
  }
}

extension Menu {
  /// The types of the menu for the browser client.
  static var typeScript: String { TypeScriptTypes(of: ModelDefinition<Menu>(), program: "bindery").text }

  /// A new menu on Saturday, 2026-11-21.
  static var initial: Menu {
    Menu(today: CalendarDay(year: 2026, month: 11, day: 21)!, evening: Date(timeIntervalSince1970: 1_795_287_600))
  }
}
