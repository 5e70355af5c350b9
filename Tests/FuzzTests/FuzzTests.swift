import BinderyFuzzTargets
import Testing

/// A short run of the fuzz targets: the whole corpus, and a few hundred mutations of it.
struct FuzzTests {
  @Test(arguments: FuzzTarget.allCases)
  func `no input of the corpus violates an invariant`(_ target: FuzzTarget) throws {
    let inputs = try Corpus.inputs(of: target)
    #expect(!inputs.isEmpty)
    for (name, bytes) in inputs {
      do throws(Finding) { try target.run(bytes) } catch { Issue.record("\(target)/\(name): \(error)") }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `no mutation of the corpus violates an invariant`(_ target: FuzzTarget) throws {
    let inputs = try Corpus.inputs(of: target).map(\.bytes)
    var mutator = Mutator(seed: 1, words: try Corpus.words())
    for _ in 0..<target.mutationCount {
      let input = mutator.mutant(of: inputs)
      do throws(Finding) { try target.run(input) } catch {
        Issue.record("\(target): \(error) in \(String(decoding: input, as: UTF8.self).debugDescription)")
      }
    }
  }

  @Test func `the dictionaries contain words`() throws {
    let words = try Corpus.words()
    #expect(words.contains(Array("\r\n\r\n".utf8)))
    #expect(words.contains(Array(#"\ud83c\udf5d"#.utf8)))
    #expect(words.allSatisfy { !$0.isEmpty })
  }
}

extension FuzzTarget {
  /// The number of mutations to run, chosen so that each target takes about a second in a debug build.
  fileprivate var mutationCount: Int {
    switch self {
    case .messages, .chunks, .json, .paths: 600
    case .model: 300
    case .fields, .patches, .requests, .exchange: 80
    }
  }
}
