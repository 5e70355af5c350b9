// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Counter",
  // No version has been released yet. A package of your own uses a clone: .package(path: "../bindery")
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
