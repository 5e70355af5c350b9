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
    .executable(name: "bindery", targets: ["BinderyCommand"]),
  ],
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
    module("State", ["Bindings", "Shapes"]),

    // Bytes: HTTP over plain sockets.
    module("HTTP"),
    module("Sockets", ["CLinux"]),
    module("Server", ["HTTP", "Sockets"]),

    // Where both meet: URLs over state, and any model as a service.
    module("Resources", ["HTTP", "JSON", "Shapes", "State", "Bindings", "Digests", "Trees"]),
    module("Serving", ["Resources", "Server", "State", "Shapes", "Sockets", "HTTP", "Digests"]),
    module("Bindery", ["Bindings", "Serving", "Shapes", "State", "Trees"]),

    // What ships: the menu and the command.
    module("Menu", ["Shapes", "Trees", "Bindings"]),
    module("App", ["Menu", "Serving", "Resources", "State", "Shapes", "Digests", "Sockets"]),
    .executableTarget(name: "BinderyCommand", dependencies: ["App"], swiftSettings: rules),
  ]
)
