import Foundation
import Testing

/// Compares the layer table with the sources, Package.swift and docs/ARCHITECTURE.md.
struct LayerTests {
  @Test func `every module is in the layer table`() {
    #expect(Repository.modules.subtracting(Layers.table.keys) == [])
  }

  @Test func `a module imports only modules that the layer table allows`() {
    for file in Repository.sources {
      let allowed = Layers.table[file.module] ?? []
      #expect(file.imports.subtracting(allowed) == [], "\(file)")
    }
  }

  @Test func `the package manifest declares only dependencies that the layer table allows`() throws {
    let targets = try Manifest.targets()
    for module in Repository.modules {
      let declared = try #require(targets[module], "Package.swift has no target \(module)")
      #expect(declared.subtracting(Layers.table[module] ?? []) == [], "\(module)")
    }
  }

  @Test func `the package manifest declares every import of a module`() throws {
    let targets = try Manifest.targets()
    for file in Repository.sources {
      let own = Repository.modules.intersection(file.imports)
      #expect(own.subtracting(targets[file.module] ?? []) == [], "\(file)")
    }
  }

  @Test func `the product names all modules that a program compiles into itself`() throws {
    var modules: Set = ["Bindery"]
    while true {
      let imports = Repository.sources.filter { modules.contains($0.module) }.flatMap(\.publicImports)
      let found = modules.union(Repository.modules.intersection(imports))
      if found == modules { break }
      modules = found
    }
    #expect(try Manifest.productModules() == modules)
  }

  @Test(arguments: ["BinderyMenu", "BinderyCommand"])
  func `the menu is compiled without package access, so that it uses the public API only`(_ target: String) throws {
    let manifest = try #require(Repository.file("Package.swift")).text
    let start = try #require(manifest.range(of: "arget\\(\\s*name: \"\(target)\"", options: .regularExpression))
    let end = try #require(manifest.range(of: "swiftSettings:", range: start.upperBound..<manifest.endIndex))
    #expect(manifest[start.upperBound..<end.lowerBound].contains("packageAccess: false"))
    #expect(
      Layers.table[target]?.subtracting([
        "Bindery", "BinderyMenu", "BinderyPostgreSQL", "FoundationEssentials", "Synchronization",
      ]) == [])
  }

  @Test func `the layers have no cycle`() {
    var open = Layers.table.mapValues { Repository.modules.intersection($0) }
    while let (free, _) = open.first(where: { $0.value.isDisjoint(with: open.keys) }) { open[free] = nil }
    #expect(open.isEmpty)
  }

  @Test func `only the system module imports libc`() {
    let libc: Set = ["CBinderyLinux", "Glibc", "Musl", "Dispatch"]
    // The test kit starts programs, and no product contains it.
    for file in Repository.sources where !Layers.libc.contains(file.module) && file.module != "BinderyTestKit" {
      #expect(libc.isDisjoint(with: file.imports), "\(file)")
    }
  }

  @Test func `no source imports Foundation, only FoundationEssentials`() {
    // The test kit starts programs, and no product contains it.
    for file in Repository.sources where file.module != "BinderyTestKit" {
      #expect(!file.imports.contains("Foundation"), "\(file)")
    }
  }

  @Test(.enabled(if: Repository.file("docs/ARCHITECTURE.md") != nil))
  func `the architecture document names every module`() throws {
    let text = try #require(Repository.file("docs/ARCHITECTURE.md")).text
    #expect(Repository.modules.filter { !text.contains($0) } == [])
  }
}

/// The targets in Package.swift, extracted from its text.
private enum Manifest {
  /// Returns the targets of the product `Bindery`.
  static func productModules() throws -> Set<String> {
    let manifest = try #require(Repository.file("Package.swift")).text
    let list = try #require(manifest.firstMatch(of: /let productModules = \[([^\]]*)\]/)?.output.1)
    return Set(list.matches(of: /"(\w+)"/).map { String($0.output.1) })
  }

  /// Returns the declared dependencies of each target that it may import.
  static func targets() throws -> [String: Set<String>] {
    let manifest = try #require(Repository.file("Package.swift"))
    // A program depends on all modules of the product, but imports only the one of the same name.
    let text = manifest.lines.map(\.code).joined(separator: "\n")
      .replacing("dependencies: product + [", with: "dependencies: [\"Bindery\", ")
      .replacing("dependencies: product,", with: "dependencies: [\"Bindery\"],")
    let target =
      /(?:module|macro|\w*[tT]arget|systemLibrary)\(\s*(?:name:\s*)?"(\w+)"(?:\s*,\s*(?:dependencies:\s*)?\[([^\]]*)\])?/
    var targets: [String: Set<String>] = [:]
    for match in text.matches(of: target) {
      let list = match.output.2 ?? ""
      targets[String(match.output.1)] = Set(list.matches(of: /"(\w+)"/).map { String($0.output.1) })
    }
    return targets
  }
}
