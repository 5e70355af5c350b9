import BinderyFuzzTargets
import Testing

/// What the fuzzers do for hours, for a moment: what they have found, and a few hundred mutations of it.
struct FuzzTests {
  @Test(arguments: FuzzTarget.allCases)
  func `nothing in the corpus breaks a rule any more`(_ target: FuzzTarget) throws {
    let inputs = try Corpus.inputs(of: target)
    #expect(!inputs.isEmpty)
    for (name, bytes) in inputs {
      do throws(Finding) { try target.run(bytes) } catch { Issue.record("\(target)/\(name): \(error)") }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `no mutation of the corpus breaks a rule`(_ target: FuzzTarget) throws {
    let inputs = try Corpus.inputs(of: target).map(\.bytes)
    var mutator = Mutator(seed: 1, words: try Corpus.words())
    for _ in 0..<target.mutations {
      let input = mutator.mutant(of: inputs)
      do throws(Finding) { try target.run(input) } catch {
        Issue.record("\(target): \(error) in \(String(decoding: input, as: UTF8.self).debugDescription)")
      }
    }
  }

  @Test func `the dictionaries hold words`() throws {
    let words = try Corpus.words()
    #expect(words.contains(Array("\r\n\r\n".utf8)))
    #expect(words.contains(Array(#"\ud83c\udf5d"#.utf8)))
    #expect(words.allSatisfy { !$0.isEmpty })
  }
}

extension FuzzTarget {
  /// How many mutations take a moment without optimization.
  fileprivate var mutations: Int {
    switch self {
    case .messages, .chunks, .json, .paths: 600
    case .model: 300
    case .fields, .patches, .requests, .exchange: 80
    }
  }
}
