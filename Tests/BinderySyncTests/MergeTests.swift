import BinderyCore
import BinderyTestKit
import BindingLaws
import Testing

/// The laws of merging a change into another version.
struct MergeTests {
  private func merge(_ base: DynamicValue, _ changed: DynamicValue, into current: DynamicValue) -> String? {
    let change = try? ConcurrentChange(of: Blog.model.definition, from: base, to: changed)
    return (try? change?.merged(into: current)).map(data)
  }

  private func data(_ state: DynamicValue) -> String { String(decoding: Blog.shape.data(state), as: UTF8.self) }

  /// Returns the posts in any order, and the rest of the data.
  private func parts(_ data: String) -> [String] {
    data.matches(of: /{"id"[^}]*}/).map { String($0.output) }.sorted() + [data.replacing(/{"id"[^}]*},?/, with: "")]
  }

  @Test func `changes of different places are both in the result, and others are conflicts on both sides`() throws {
    var random = SeededGenerator(seed: 7)
    var (succeeded, failed) = (0, 0)
    for _ in 0..<2_000 {
      let generator = BlogGenerator(&random)
      var versions = [generator, generator, generator]
      for index in 1...2 {
        for _ in 0..<Int.random(in: 0...6, using: &random) { versions[index].change(&random) }
      }
      let states = try versions.map { try Blog.state($0.text(&random)) }
      let (base, ours, theirs) = (states[0], states[1], states[2])
      // What one side has not changed is as the other side has it.
      #expect(merge(base, theirs, into: base) == data(theirs))
      #expect(merge(base, base, into: ours) == data(ours))
      // The same change on both sides is no conflict.
      #expect(merge(base, ours, into: ours) == data(ours))
      let (merged, reversed) = (merge(base, theirs, into: ours), merge(base, ours, into: theirs))
      #expect((merged == nil) == (reversed == nil))
      if let merged, let reversed {
        #expect(parts(merged) == parts(reversed))
        succeeded += 1
      } else {
        failed += 1
      }
    }
    #expect(succeeded > 200 && failed > 200, "\(succeeded) merges, \(failed) conflicts")
  }
}
