// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// The settings of every Swift target: internal imports, explicit `any`, strict memory safety, warnings as errors.
let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// Creates a library target with the settings above.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

/// Creates a test target with the settings above.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name + "Tests", dependencies: dependencies, swiftSettings: rules)
}

/// The dependency on the macros, which only the trait `Macros` enables.
let macros = Target.Dependency.byName(name: "BinderyMacroPlugin", condition: .when(traits: ["Macros"]))

/// Returns a library of swift-syntax, which is fetched only with the trait `Macros`.
func swiftSyntax(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

/// The modules of the product `Bindery`: beside the module of this name, those whose types and inlined code a program
/// contains. SwiftPM compiles a program again only if a module that it depends on has changed.
let productModules = ["Bindery", "BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyService"]

/// The dependencies of a program of this package, which imports `Bindery` only.
let product = productModules.map { Target.Dependency.byName(name: $0) }

let package = Package(
  name: "bindery",
  products: [
    .library(name: "Bindery", targets: productModules),
    .library(name: "BinderyPostgreSQL", targets: ["BinderyPostgreSQL"]),
    .library(name: "BindingLaws", targets: ["BindingLaws"]),
    .executable(name: "bindery", targets: ["BinderyCommand"]),
    // Used only by the package in Fuzz.
    .library(name: "_FuzzTargets", targets: ["BinderyFuzzTargets"]),
  ],
  traits: [
    .trait(name: "Macros", description: "The macro @Editable, which declares shapes. Needs swift-syntax.")
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0")
  ],
  targets: [
    // C libraries of Debian.
    .systemLibrary(name: "CBinderyLinux"),
    .systemLibrary(name: "CBinderyCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CBinderyPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CBinderySQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CBinderySodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CBinderyXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),

    // Values: bindings, shapes, collections and the store.
    module("BinderyText"),
    module("BinderyJSON", ["BinderyText"]),
    module("BinderyCryptography", ["CBinderySodium"]),
    module("BinderyDigest", ["BinderyCryptography", "BinderyText", "CBinderyXXHash"]),
    module("BinderyCore", ["BinderyDigest", "BinderyJSON", "BinderyText"]),

    // Model files: models as JSON Schema.
    module("BinderyModelFile", ["BinderyCore", "BinderyJSON"]),

    // Metrics, logs and trace context.
    module("BinderyTelemetry", ["BinderyText"]),

    // HTTP/1.1 over sockets.
    module("BinderyHTTP", ["BinderyText"]),
    module("BinderySystem", ["CBinderyLinux"]),
    module("BinderyServer", ["BinderyHTTP", "BinderySystem", "BinderyTelemetry"]),

    // Durable commits.
    module(
      "BinderyJournal",
      ["BinderyCore", "BinderyDigest", "BinderyJSON", "BinderySystem", "BinderyTelemetry", "BinderyText"]),
    module(
      "BinderySQLite",
      ["BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyJournal", "BinderySystem", "CBinderySQLite"]),

    // A data file that is kept in step with a store.
    module(
      "BinderySync",
      ["BinderyCore", "BinderyCryptography", "BinderyJSON", "BinderySystem", "BinderyTelemetry", "BinderyText"]),

    // The HTTP API of a store, its OpenAPI document, and the service that runs any model.
    module(
      "BinderyAPI",
      [
        "BinderyCore", "BinderyCryptography", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyTelemetry",
        "BinderyText",
      ]),
    // The browser client, which every service serves.
    .target(name: "BinderyClient", resources: [.embedInCode("Files")], swiftSettings: rules),
    // The console, which every service serves.
    .target(name: "BinderyConsole", resources: [.embedInCode("Files")], swiftSettings: rules),
    module(
      "BinderyOpenAPI",
      ["BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyText"]),
    module(
      "BinderyService",
      [
        "BinderyAPI", "BinderyClient", "BinderyConsole", "BinderyCore", "BinderyCryptography", "BinderyDigest",
        "BinderyHTTP", "BinderyJSON", "BinderyJournal", "BinderyModelFile", "BinderyOpenAPI", "BinderySQLite",
        "BinderyServer", "BinderySync", "BinderySystem", "BinderyTelemetry", "BinderyText",
      ]),
    module("Bindery", ["BinderyCore", "BinderyService", macros]),
    module(
      "BinderyPostgreSQL",
      [
        "BinderyCore", "BinderyCryptography", "BinderyDigest", "BinderyJournal", "BinderySQLite", "BinderyService",
        "BinderySystem", "BinderyTelemetry", "BinderyText", "CBinderyPostgreSQL",
      ]),

    // The macros. Without the trait `Macros` the sources are empty.
    .macro(
      name: "BinderyMacroPlugin",
      dependencies: [
        swiftSyntax("SwiftCompilerPlugin"), swiftSyntax("SwiftDiagnostics"), swiftSyntax("SwiftParser"),
        swiftSyntax("SwiftSyntax"), swiftSyntax("SwiftSyntaxBuilder"), swiftSyntax("SwiftSyntaxMacros"),
      ], swiftSettings: rules),

    // Checks of the laws of bindings, for the tests of models.
    module("BindingLaws", ["BinderyCore", "BinderyDigest", "BinderyJSON"]),

    // The menu, its web page, and the command. They use the public API only, which `packageAccess` enforces.
    .target(
      name: "BinderyMenu", dependencies: product + ["BinderyPostgreSQL"],
      resources: [.embedInCode("Page/Files")], packageAccess: false, swiftSettings: rules),
    .executableTarget(
      name: "BinderyCommand", dependencies: product + ["BinderyMenu"], packageAccess: false, swiftSettings: rules),

    // Shared by the tests: requests and responses for three kinds of client.
    module(
      "BinderyTestKit",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyServer",
        "BinderyService", "BinderySystem", "CBinderyCurl", "CBinderyLinux",
      ]),

    // Shared by the fuzzer and the tests: functions that accept any bytes and check invariants.
    module(
      "BinderyFuzzTargets",
      ["BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyMenu"]),

    tests("BinderyJSON", ["BinderyJSON", "BindingLaws"]),
    tests("BinderyDigest", ["BinderyDigest"]),
    tests("BinderyCryptography", ["BinderyCryptography"]),
    // Without package access, like a package of a user.
    .testTarget(
      name: "BinderyTests", dependencies: product + ["BindingLaws"], packageAccess: false, swiftSettings: rules),
    tests(
      "BinderyCore",
      ["BinderyCore", "BinderyDigest", "BinderyFuzzTargets", "BinderyJSON", "BinderyMenu", "BindingLaws"]),
    tests(
      "Client", ["BinderyClient", "BinderyCore", "BinderyMenu", "BinderyModelFile", "BinderyOpenAPI", "BinderyTestKit"]),
    tests(
      "BinderyModelFile",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyJournal", "BinderyModelFile",
        "BinderyOpenAPI", "BinderySQLite", "BinderyTestKit", "BindingLaws",
      ]),
    tests(
      "BinderySync",
      [
        "BinderyCore", "BinderyJSON", "BinderyModelFile", "BinderySync", "BinderySystem", "BinderyTelemetry",
        "BinderyTestKit", "BindingLaws",
      ]),
    tests("BinderyHTTP", ["BinderyHTTP", "BinderyTestKit"]),
    tests(
      "BinderyTelemetry",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyJournal", "BinderyMenu",
        "BinderySQLite", "BinderyService", "BinderySystem", "BinderyTelemetry", "BinderyTestKit", "BindingLaws",
      ]),
    tests("BinderySystem", ["BinderySystem", "BinderyTestKit"]),
    tests("BinderyServer", ["BinderyHTTP", "BinderyServer", "BinderySystem", "BinderyTestKit"]),
    tests(
      "BinderyAPI",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyFuzzTargets", "BinderyHTTP", "BinderyJSON", "BinderyMenu",
        "BinderyModelFile", "BinderyOpenAPI", "BinderyTestKit", "BindingLaws",
      ]),
    tests(
      "BinderySQLite",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyFuzzTargets", "BinderyJSON", "BinderyJournal",
        "BinderyPostgreSQL", "BinderySQLite", "BinderyService", "BinderySystem", "BinderyTestKit", "BindingLaws",
        "CBinderySQLite",
      ]),
    tests(
      "BinderyPostgreSQL",
      [
        "BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyJournal", "BinderyMenu", "BinderyPostgreSQL",
        "BinderyService", "BinderySystem", "BinderyTelemetry", "BinderyTestKit",
      ]),
    tests(
      "BinderyMenu",
      [
        "Bindery", "BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyJournal", "BinderyMenu", "BinderyService",
        "BinderyTelemetry", "BinderyTestKit", "BindingLaws",
      ]),
    tests(
      "Stream",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyMenu", "BinderyService",
        "BinderySystem", "BinderyTestKit", "BindingLaws",
      ]),
    tests(
      "Access",
      [
        "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyMenu", "BinderyOpenAPI",
        "BinderyService", "BinderySystem", "BinderyTestKit",
      ]),
    tests("Live", ["BinderyCore", "BinderyJSON", "BinderyMenu", "BinderyService", "BinderySystem", "BinderyTestKit"]),
    tests(
      "Page",
      [
        "BinderyAPI", "BinderyCommand", "BinderyCore", "BinderyDigest", "BinderyMenu", "BinderyModelFile",
        "BinderyOpenAPI", "BinderyService", "BinderySystem", "BinderyTestKit",
      ]),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "BinderyCommand", "BinderyCore", "BinderyJSON", "BinderyJournal", "BinderyMenu", "BinderySQLite",
        "BinderySystem", "BinderyTestKit", "BindingLaws", "CBinderySQLite", "StrangerCommand",
      ],
      exclude: ["Support"], swiftSettings: rules),
    tests("Proxy", ["BinderyMenu", "BinderyService", "BinderySystem", "BinderyTestKit"]),
    tests(
      "Hardening",
      [
        "BinderyAPI", "BinderyCommand", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyMenu",
        "BinderyServer", "BinderySystem", "BinderyTestKit",
      ]),
    tests("Fuzz", ["BinderyFuzzTargets", "BinderyTestKit", "BindingLaws"]),
    tests(
      "Service",
      [
        "BinderyAPI", "BinderyClient", "BinderyConsole", "BinderyCore", "BinderyDigest", "BinderyJSON",
        "BinderyModelFile", "BinderyService", "BinderySystem", "BinderyTelemetry", "BinderyTestKit", "BindingLaws",
      ]),

    // A program and tests like those of a package that depends on this one: no package access.
    .executableTarget(
      name: "StrangerCommand", dependencies: product, path: "Tests/StrangerCommand", packageAccess: false,
      swiftSettings: rules),
    .testTarget(
      name: "StrangerTests", dependencies: product + ["BinderyTestKit", "StrangerCommand"], packageAccess: false,
      swiftSettings: rules),
    tests("Style", []),
  ]
)
