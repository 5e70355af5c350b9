// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Counter",
  dependencies: [.package(name: "bindery", path: "../..")],
  targets: [
    .executableTarget(name: "Counter", dependencies: [.product(name: "Bindery", package: "bindery")])
  ]
)
