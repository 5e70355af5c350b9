import BinderyTestKit
import BindingLaws

/// A deterministic mutator of fuzzing inputs: the same seed gives the same mutations.
struct Mutator {
  private var random: SeededGenerator
  private let words: [[UInt8]]

  init(seed: UInt64, words: [[UInt8]]) {
    random = SeededGenerator(seed: seed)
    self.words = words
  }

  /// Returns a random input with one to four mutations, some of which insert parts of other inputs.
  mutating func mutant(of inputs: [[UInt8]]) -> [UInt8] {
    var bytes = random.pick(inputs)
    for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, inputs) }
    return Array(bytes.prefix(4_096))
  }

  private mutating func mutate(_ bytes: inout [UInt8], _ inputs: [[UInt8]]) {
    let start = Int.random(in: 0...bytes.count, using: &random)
    let end = Int.random(in: start...min(bytes.count, start + 16), using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes.removeSubrange(start..<end)
    case 1: bytes.insert(contentsOf: random.pick(words), at: start)
    case 2: bytes.replaceSubrange(start..<end, with: random.pick(words))
    case 3: bytes.insert(.random(in: .min ... .max, using: &random), at: start)
    case 4: bytes.insert(contentsOf: bytes[start..<end], at: end)
    case 5: bytes.removeLast(bytes.count - start)
    case 6: bytes = bytes[..<start] + random.pick(inputs).suffix(Int.random(in: 0...64, using: &random))
    default: if start < bytes.count { bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    }
  }
}
