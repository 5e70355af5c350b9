import Foundation
import Testing

/// The table of the layers against the sources, the manifest and the document.
struct LayerTests {
  @Test func `every module has its place in the table`() {
    #expect(Repository.modules.subtracting(Layers.table.keys) == [])
  }

  @Test func `a module imports only what its layer may`() {
    for file in Repository.sources {
      let allowed = Layers.table[file.module] ?? []
      #expect(file.imports.subtracting(allowed) == [], "\(file)")
    }
  }

  @Test func `the manifest declares what the table allows`() throws {
    let targets = try Manifest.targets()
    for module in Repository.modules {
      let declared = try #require(targets[module], "Package.swift has no target \(module)")
      #expect(declared.subtracting(Layers.table[module] ?? []) == [], "\(module)")
    }
  }

  @Test func `what a module imports of this package, the manifest declares`() throws {
    let targets = try Manifest.targets()
    for file in Repository.sources {
      let own = Repository.modules.intersection(file.imports)
      #expect(own.subtracting(targets[file.module] ?? []) == [], "\(file)")
    }
  }

  @Test func `the layers have no cycle`() {
    var open = Layers.table.mapValues { Repository.modules.intersection($0) }
    while let (free, _) = open.first(where: { $0.value.isDisjoint(with: open.keys) }) { open[free] = nil }
    #expect(open.isEmpty)
  }

  @Test func `only one module knows libc`() {
    let libc: Set = ["CLinux", "Glibc", "Musl", "Dispatch"]
    for file in Repository.sources where !Layers.libc.contains(file.module) {
      #expect(libc.isDisjoint(with: file.imports), "\(file)")
    }
  }

  @Test func `no source imports the whole of Foundation`() {
    for file in Repository.sources { #expect(!file.imports.contains("Foundation"), "\(file)") }
  }

  @Test(.enabled(if: Repository.file("docs/ARCHITECTURE.md") != nil))
  func `the architecture names every module`() throws {
    let text = try #require(Repository.file("docs/ARCHITECTURE.md")).text
    #expect(Repository.modules.filter { !text.contains($0) } == [])
  }
}

/// Package.swift, read as text: each target's name and the list that follows it.
private enum Manifest {
  static func targets() throws -> [String: Set<String>] {
    let manifest = try #require(Repository.file("Package.swift"))
    let text = manifest.lines.map(\.code).joined(separator: "\n")
    let target =
      /(?:module|\w*[tT]arget|systemLibrary)\(\s*(?:name:\s*)?"(\w+)"(?:\s*,\s*(?:dependencies:\s*)?\[([^\]]*)\])?/
    var targets: [String: Set<String>] = [:]
    for match in text.matches(of: target) {
      let list = match.output.2 ?? ""
      targets[String(match.output.1)] = Set(list.matches(of: /"(\w+)"/).map { String($0.output.1) })
    }
    return targets
  }
}
