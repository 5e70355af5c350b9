import BinderyCore
import BinderyService
import Testing

/// What a program declares, and how its commands use it.
@Suite(.serialized)
struct ProgramTests {
  @Test(arguments: [
    (["--listen"], "the program cannot have an option --listen, which is one of the service: rename it"),
    (["--help"], "the program cannot have an option --help, which is one of the service: rename it"),
    (["--a", "--b", "--a"], "the program has two options --a: rename one of them"),
    (
      ["--base_path"],
      "the options --base-path and --base_path have the same variable GARDEN_BASE_PATH: rename one of them"
    ),
    (["port"], "the program cannot have an option “port”: expected a name such as --time-zone"),
    (["--a=b"], "the program cannot have an option “--a=b”: expected a name such as --time-zone"),
  ])
  func `an option that could not be given is an error of every command`(_ names: [String], _ mistake: String) async {
    await Garden.$optionNames.withValue(names) {
      #expect(Garden.program.optionMistake == mistake)
      for arguments in [[], ["version"], ["serve", "--store", "memory", "--check"]] {
        #expect(await Garden.run(arguments, environment: [:]) == 78)
      }
    }
    #expect(Garden.program.optionMistake == nil)
  }
}

/// A program whose options a test declares.
private struct Garden: ServiceCommand {
  @TaskLocal static var optionNames: [String] = []

  static let name = "garden"
  static let initial = Plot()
  static var options: [CommandOption] { optionNames.map { .toggle($0, "An option.") } }
}

private struct Plot: StateModel {
  var beds = 3

  static let shape = EditableShape<Plot>.members(Plot.init, StoredMember("beds", \.beds))
}
