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
  targets: [
    // What Debian brings.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),

    // Values: what a place is, and how it is read, written, compared and spelled.
    module("Bindings"),
    module("JSON"),
    module("Digests", ["CXXHash"]),
    module("Trees", ["Digests"]),
    module("Shapes", ["Bindings", "JSON", "Digests", "Trees"]),
    module("State", ["Bindings", "Shapes", "Digests", "JSON"]),

    // Bytes: HTTP over plain sockets.
    module("HTTP"),
    module("Sockets", ["CLinux"]),
    module("Server", ["HTTP", "Sockets"]),
  ]
)
