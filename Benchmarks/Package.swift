// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what uses Bindery here uses it as a stranger would, through its public face.
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
