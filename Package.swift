// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: explicit imports, no bare existentials, explicit unsafe code, warnings as errors.
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
    // Used only by the package in Fuzz.
    .library(name: "_FuzzTargets", targets: ["BinderyFuzzTargets"]),
  ],
  targets: [
    // Debian's C libraries.
    .systemLibrary(name: "CBinderyLinux"),
    .systemLibrary(name: "CBinderyCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CBinderySQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CBinderyXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),

    // Values: bindings, shapes, collections and the store.
    module("BinderyJSON"),
    module("BinderyDigest", ["CBinderyXXHash"]),
    module("BinderyCryptography"),
    module("BinderyCore", ["BinderyDigest", "BinderyJSON"]),

    // Metrics, logs and trace context.
    module("BinderyTelemetry"),

    // HTTP over plain sockets.
    module("BinderyHTTP"),
    module("BinderySystem", ["CBinderyLinux"]),
    module("BinderyServer", ["BinderyHTTP", "BinderySystem", "BinderyTelemetry"]),

    // Durable commits.
    module("BinderyJournal", ["BinderyCore", "BinderyJSON", "BinderySystem", "BinderyTelemetry"]),
    module(
      "BinderySQLite",
      ["BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyJournal", "BinderySystem", "CBinderySQLite"]),

    // The HTTP API over the state, and any model as a service.
    module(
      "BinderyAPI",
      ["BinderyCore", "BinderyCryptography", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyTelemetry"]),
    module("BinderyOpenAPI", ["BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON"]),
    module(
      "BinderyService",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyOpenAPI", "BinderyServer",
        "BinderySystem", "BinderyTelemetry",
      ]),
    module("Bindery", ["BinderyCore", "BinderyService"]),

    // The laws of bindings, for the tests of models.
    module("BindingLaws", ["BinderyCore", "BinderyDigest", "BinderyJSON"]),

    // The menu, its web page, and the command.
    .target(
      name: "BinderyMenu",
      dependencies: [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyJournal", "BinderyOpenAPI", "BinderySQLite",
        "BinderyService", "BinderySystem", "BinderyTelemetry",
      ],
      resources: [.embedInCode("Page/Files")], swiftSettings: rules),
    .executableTarget(name: "BinderyCommand", dependencies: ["BinderyMenu"], swiftSettings: rules),

    // Shared by the tests: one vocabulary of requests and responses over three kinds of client.
    module(
      "BinderyTestKit",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyServer",
        "BinderyService", "BinderySystem", "CBinderyCurl",
      ]),

    // Shared by the fuzzer and the tests: functions that take any bytes and check invariants.
    module(
      "BinderyFuzzTargets",
      ["BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyMenu"]),

    tests("BinderyJSON", ["BinderyJSON"]),
    tests("BinderyDigest", ["BinderyDigest"]),
    tests("BinderyCryptography", ["BinderyCryptography"]),
    tests("BinderyCore", ["BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyMenu", "BindingLaws"]),
    tests("BinderyHTTP", ["BinderyHTTP", "BinderyTestKit"]),
    tests(
      "BinderyTelemetry",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyJournal", "BinderyMenu",
        "BinderyService", "BinderySystem", "BinderyTelemetry", "BinderyTestKit",
      ]),
    tests("BinderySystem", ["BinderySystem"]),
    tests("BinderyServer", ["BinderyHTTP", "BinderyServer", "BinderySystem"]),
    tests(
      "BinderyAPI",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyMenu", "BinderyOpenAPI",
        "BinderyTestKit",
      ]),
    tests(
      "BinderySQLite",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyJournal", "BinderySQLite",
        "BinderyService", "BinderySystem", "BinderyTestKit", "CBinderySQLite",
      ]),
    tests(
      "BinderyMenu",
      [
        "BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyJournal", "BinderyMenu", "BinderyTelemetry",
        "BindingLaws",
      ]),
    tests(
      "Stream",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyMenu", "BinderyService",
        "BinderySystem", "BinderyTestKit",
      ]),
    tests(
      "Access",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyMenu", "BinderyOpenAPI",
        "BinderyService", "BinderySystem", "BinderyTestKit",
      ]),
    tests("Live", ["BinderyCore", "BinderyJSON", "BinderyMenu", "BinderySystem", "BinderyTestKit"]),
    tests("Page", ["BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyMenu", "BinderyService", "BinderySystem"]),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "BinderyCommand", "BinderyCore", "BinderyJSON", "BinderyJournal", "BinderyMenu", "BinderySQLite",
        "BinderySystem", "BinderyTestKit", "CBinderySQLite",
      ],
      exclude: ["Support"], swiftSettings: rules),
    tests("Proxy", ["BinderyMenu", "BinderyService", "BinderySystem", "BinderyTestKit"]),
    tests(
      "Hardening",
      [
        "BinderyAPI", "BinderyCommand", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyMenu",
        "BinderyServer", "BinderySystem",
      ]),
    tests("Fuzz", ["BinderyFuzzTargets", "BinderyTestKit"]),
    tests("Style", []),
  ]
)
