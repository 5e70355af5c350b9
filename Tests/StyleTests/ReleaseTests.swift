import Foundation
import Testing

/// The version in the files of a release.
struct ReleaseTests {
  /// The version of the program.
  private let version: String

  init() throws {
    let program = try #require(Repository.file("Sources/BinderyMenu/MenuCommand.swift"))
    version = try #require(program.text.firstMatch(of: /version = "([0-9.]+)"/).map { String($0.output.1) })
  }

  @Test(arguments: [
    "Dockerfile", "README.md", "compose.yaml", "deploy/kubernetes.yaml", "deploy/replicas/compose.yaml",
    "deploy/replicas/kubernetes.yaml",
  ])
  func `the image has the version of the program as its only tag`(path: String) throws {
    let file = try #require(Repository.file(path))
    // Not ports, such as bindery:8080.
    let tags = file.text.matches(of: /\bbindery:([\w.]+)/).map { String($0.output.1) }.filter { Int($0) == nil }
    #expect(!tags.isEmpty && tags.allSatisfy { $0 == version }, "\(tags)")
  }

  @Test func `the image and the package have the version of the program as their default`() throws {
    let dockerfile = try #require(Repository.file("Dockerfile"))
    #expect(dockerfile.text.contains("\nARG VERSION=\(version)\n"))
    let readme = try #require(Repository.file("README.md"))
    #expect(readme.text.contains("bindery_\(version)_amd64.deb"))
  }
}
