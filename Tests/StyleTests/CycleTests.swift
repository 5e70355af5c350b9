import Foundation
import Testing

/// Finds files of a module that refer to each other's types in a cycle.
struct CycleTests {
  @Test(arguments: Repository.modules.sorted())
  func `no more than three files of a module refer to each other's types in a cycle`(_ module: String) {
    let files = Repository.sources.filter { $0.module == module }
    let cycles = Self.cycles(among: Self.references(among: files)).filter { $0.count > 3 }
    #expect(cycles.isEmpty, "\(cycles.map { $0.sorted().joined(separator: ", ") }.joined(separator: "\n"))")
  }

  @Test func `a cycle is found, and a chain is not`() {
    let references: [String: Set<String>] = ["a": ["b"], "b": ["c"], "c": ["a", "d"], "d": ["e"], "e": []]
    #expect(Self.cycles(among: references).map(\.count).sorted() == [1, 1, 3])
  }

  /// Returns the files to whose types each file refers. A type is one that a file declares outside of other types, and
  /// that no other file of the module declares.
  private static func references(among files: [SourceFile]) -> [String: Set<String>] {
    let declaration =
      /(?:(?:public|package|final|indirect) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
    var owners: [Substring: [String]] = [:]
    for file in files {
      for line in file.lines {
        if let match = line.text.prefixMatch(of: declaration) { owners[match.output.1, default: []].append(file.path) }
      }
    }
    var references: [String: Set<String>] = [:]
    for file in files {
      let words = file.lines.flatMap { $0.code.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
      let others = Set(words).compactMap { owners[$0]?.count == 1 ? owners[$0]?.first : nil }
      references[file.path] = Set(others).subtracting([file.path])
    }
    return references
  }

  /// Returns the strongly connected components of a graph: two nodes are in the same one if each leads to the other.
  private static func cycles(among references: [String: Set<String>]) -> [Set<String>] {
    func reachable(_ start: String, _ edges: [String: Set<String>]) -> Set<String> {
      var (found, pending) = (Set([start]), [start])
      while let next = pending.popLast() {
        for node in edges[next] ?? [] where found.insert(node).inserted { pending.append(node) }
      }
      return found
    }
    var reversed: [String: Set<String>] = [:]
    for (node, others) in references { for other in others { reversed[other, default: []].insert(node) } }
    var (rest, cycles) = (Set(references.keys), [Set<String>]())
    while let node = rest.first {
      let cycle = reachable(node, references).intersection(reachable(node, reversed))
      cycles.append(cycle)
      rest.subtract(cycle)
    }
    return cycles
  }
}
