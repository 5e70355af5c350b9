// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "DeviceFleet",
  products: [.executable(name: "fleet", targets: ["DeviceFleet"])],
  // No version has been released yet. A package of your own uses a clone: .package(path: "../bindery")
  dependencies: [.package(name: "bindery", path: "../..")],
  targets: [
    // The page is embedded, so that the program is one file.
    .executableTarget(
      name: "DeviceFleet", dependencies: [.product(name: "Bindery", package: "bindery")],
      resources: [.embedInCode("Page/Files")]),
    .testTarget(
      name: "DeviceFleetTests",
      dependencies: [
        "DeviceFleet", .product(name: "Bindery", package: "bindery"),
        .product(name: "BindingLaws", package: "bindery"),
      ]),
  ]
)
