// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Counter",
  // A package of your own names a version: .package(url: "https://…/bindery.git", .upToNextMinor(from: "0.1.0"))
  dependencies: [.package(name: "bindery", path: "../..")],
  targets: [
    .executableTarget(name: "Counter", dependencies: [.product(name: "Bindery", package: "bindery")]),
    .testTarget(
      name: "CounterTests",
      dependencies: [
        "Counter", .product(name: "Bindery", package: "bindery"), .product(name: "BindingLaws", package: "bindery"),
      ]),
  ]
)
