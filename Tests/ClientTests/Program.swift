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

}

extension Menu {
  /// The types of the menu for the browser client.
  static var typeScript: String { TypeScriptTypes(of: ModelDefinition<Menu>(), program: "bindery").text }

  /// A new menu on Saturday, 2026-11-21.
  static var initial: Menu {
    Menu(today: CalendarDay(year: 2026, month: 11, day: 21)!, evening: Date(timeIntervalSince1970: 1_795_287_600))
  }
}
