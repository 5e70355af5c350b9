import BinderyTestKit

/// Changes inputs at random, the same way for the same seed.
struct Mutator {
  private var random: SeededGenerator
  private let words: [[UInt8]]

  init(seed: UInt64, words: [[UInt8]]) {
    random = SeededGenerator(seed: seed)
    self.words = words
  }

  /// One of the inputs with a few changes, of which some take parts of others.
  mutating func mutant(of inputs: [[UInt8]]) -> [UInt8] {
    var bytes = random.pick(inputs)
    for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, inputs) }
    return Array(bytes.prefix(4_096))
  }

  private mutating func mutate(_ bytes: inout [UInt8], _ inputs: [[UInt8]]) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let end = Int.random(in: place...min(bytes.count, place + 16), using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes.removeSubrange(place..<end)
    case 1: bytes.insert(contentsOf: random.pick(words), at: place)
    case 2: bytes.replaceSubrange(place..<end, with: random.pick(words))
    case 3: bytes.insert(.random(in: .min ... .max, using: &random), at: place)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: end)
    case 5: bytes.removeLast(bytes.count - place)
    case 6: bytes = bytes[..<place] + random.pick(inputs).suffix(Int.random(in: 0...64, using: &random))
    default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    }
  }
}
