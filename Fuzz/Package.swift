// swift-tools-version: 6.2
import PackageDescription

// A separate package, because it links only with libFuzzer. scripts/fuzz passes the flags.
let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "bindery", path: "..")],
  targets: [
    .systemLibrary(name: "CFuzzer"),
    .executableTarget(
      name: "Fuzzer",
      dependencies: ["CFuzzer", .product(name: "_FuzzTargets", package: "bindery")],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
      ]),
  ]
)
