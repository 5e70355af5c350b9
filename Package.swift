// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is held to the same rules: no hidden imports, no bare existentials, unsafe code spelled out.
let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// A module of the package, with the rules above.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

/// The tests of a module.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name + "Tests", dependencies: dependencies, swiftSettings: rules)
}

let package = Package(
  name: "bindery",
  products: [
    .library(name: "Bindery", targets: ["Bindery"]),
    .library(name: "BindingLaws", targets: ["BindingLaws"]),
    .executable(name: "bindery", targets: ["BinderyCommand"]),
    // For the package in Fuzz, and nobody else.
    .library(name: "_FuzzTargets", targets: ["FuzzTargets"]),
  ],
  targets: [
    // What Debian brings.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),

    // Values: what a place is, and how it is read, written, compared and spelled.
    module("Bindings"),
    module("JSON"),
    module("Digests", ["CXXHash"]),
    module("Trees", ["Digests"]),
    module("Cryptography"),
    module("Shapes", ["Bindings", "JSON", "Digests", "Trees"]),
    module("State", ["Bindings", "Shapes"]),

    // What a service tells of itself.
    module("Telemetry"),

    // Bytes: HTTP over plain sockets.
    module("HTTP"),
    module("Sockets", ["CLinux"]),
    module("Server", ["HTTP", "Sockets", "Telemetry"]),

    // Where commits are kept.
    module("Journaling", ["State", "Shapes", "JSON", "Sockets", "Telemetry"]),
    module("SQLiteJournal", ["CSQLite", "Digests", "JSON", "Journaling", "Shapes", "Sockets", "State"]),

    // Where both meet: URLs over state, and any model as a service.
    module(
      "Resources", ["HTTP", "JSON", "Shapes", "State", "Bindings", "Cryptography", "Digests", "Telemetry", "Trees"]),
    module("Serving", ["Resources", "Server", "State", "Shapes", "Sockets", "HTTP", "Digests", "Telemetry"]),
    module("Bindery", ["Bindings", "Serving", "Shapes", "State", "Trees"]),

    // For tests of models: the laws of bindings.
    module("BindingLaws", ["Bindings", "Shapes", "Digests", "JSON", "Trees"]),

    // What ships: the menu, its page and the command.
    module("Menu", ["Shapes", "Trees", "Bindings"]),
    .target(name: "WebPage", resources: [.embedInCode("Page")], swiftSettings: rules),
    module(
      "App",
      [
        "Menu", "WebPage", "Serving", "Resources", "Journaling", "SQLiteJournal", "State", "Shapes", "Digests",
        "Sockets", "Telemetry",
      ]),
    .executableTarget(name: "BinderyCommand", dependencies: ["App"], swiftSettings: rules),

    // What the tests share: one vocabulary of requests and replies over three kinds of client.
    module(
      "TestKit", ["CCurl", "Digests", "HTTP", "JSON", "Resources", "Server", "Serving", "Shapes", "Sockets", "State"]),

    // What a fuzzer and the tests let loose on: the same functions for both.
    module(
      "FuzzTargets", ["Digests", "HTTP", "JSON", "Menu", "Resources", "Shapes", "State", "Trees"]),

    tests("Bindings", ["Bindings"]),
    tests("JSON", ["JSON"]),
    tests("Digests", ["Digests"]),
    tests("Cryptography", ["Cryptography"]),
    tests("Trees", ["Trees", "Digests"]),
    tests("Shapes", ["Shapes", "Bindings", "BindingLaws", "Digests", "JSON", "Trees", "Menu"]),
    tests("State", ["State", "Shapes", "Bindings", "Trees"]),
    tests("Menu", ["Menu", "Shapes", "Bindings", "Trees", "State", "JSON", "Digests", "BindingLaws"]),
    tests("HTTP", ["HTTP", "TestKit"]),
    tests(
      "Telemetry",
      [
        "Telemetry", "TestKit", "Bindings", "Digests", "HTTP", "JSON", "Journaling", "Menu", "Resources", "Serving",
        "Shapes", "Sockets", "State", "Trees",
      ]),
    tests("Sockets", ["Sockets"]),
    tests("Server", ["Server", "HTTP", "Sockets"]),
    tests(
      "Resources",
      ["TestKit", "Bindings", "Digests", "HTTP", "JSON", "Menu", "Resources", "Shapes", "State", "Trees"]),
    tests(
      "Stream",
      [
        "TestKit", "Bindings", "Digests", "HTTP", "JSON", "Menu", "Resources", "Serving", "Shapes", "Sockets",
        "State", "Trees",
      ]),
    tests("Live", ["TestKit", "App", "JSON", "Menu", "Shapes", "Sockets", "State", "Trees"]),
    tests(
      "Page", ["WebPage", "Menu", "Serving", "Resources", "State", "Digests", "Shapes", "Sockets", "Trees"]),
    tests(
      "SQLiteJournal",
      [
        "CSQLite", "SQLiteJournal", "Journaling", "State", "Shapes", "Bindings", "Trees", "TestKit", "Serving",
        "Resources", "Digests", "JSON", "Sockets",
      ]),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "BinderyCommand", "CSQLite", "TestKit", "SQLiteJournal", "Journaling", "Menu", "State", "Shapes", "JSON",
        "Trees", "Sockets",
      ],
      exclude: ["Support"], swiftSettings: rules),
    tests("Proxy", ["TestKit", "Menu", "Serving", "Sockets"]),
    tests(
      "Hardening",
      ["BinderyCommand", "Digests", "HTTP", "Menu", "Resources", "Server", "Shapes", "Sockets", "State"]),
    tests("Fuzz", ["FuzzTargets", "TestKit"]),
    tests(
      "Access",
      [
        "TestKit", "App", "Digests", "HTTP", "JSON", "Menu", "Resources", "Serving", "Shapes", "Sockets", "State",
        "Trees",
      ]),
    tests("App", ["App", "Journaling", "Telemetry"]),
    tests("Tidy", []),
  ]
)
