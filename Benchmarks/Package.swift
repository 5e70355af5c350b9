// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the benchmarks use Bindery through its public API only.
let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "bindery", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "bench",
      dependencies: ["CAllocations", .product(name: "Bindery", package: "bindery")],
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
