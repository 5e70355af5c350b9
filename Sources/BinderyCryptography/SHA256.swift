/// The hash function SHA-256 (FIPS 180-4 §6.2), over bytes that may come in pieces.
package struct SHA256: Sendable {
  /// How many bytes a digest has.
  package static var digestLength: Int { 32 }
  /// How many bytes are taken in at once.
  package static var blockLength: Int { 64 }

  private var state = initialState
  private var block = [64 of UInt8](repeating: 0)
  private var filled = 0
  private var length: UInt64 = 0

  /// Of no bytes yet.
  package init() {}

  /// The digest of some bytes.
  ///
  /// - Complexity: O(*n*).
  package static func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// Takes in more bytes.
  ///
  /// - Complexity: O(*n*).
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      block[filled] = byte
      filled += 1
      length &+= 1
      if filled == Self.blockLength { takeBlock() }
    }
  }

  /// The digest of all bytes taken in; the last thing to ask for.
  package consuming func finish() -> [UInt8] {
    let bits = length &* 8
    // §5.1.1: a one, zeros, and the length in bits fill the last block.
    update(CollectionOfOne(0x80))
    while filled != Self.blockLength - 8 { update(CollectionOfOne(0)) }
    update((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) })
    var digest: [UInt8] = []
    digest.reserveCapacity(Self.digestLength)
    for index in state.indices {
      for shift in stride(from: 24, through: 0, by: -8) {
        digest.append(UInt8(truncatingIfNeeded: state[index] >> UInt32(shift)))
      }
    }
    return digest
  }

  private mutating func takeBlock() {
    filled = 0
    var words = [64 of UInt32](repeating: 0)
    for index in 0..<16 {
      let start = index * 4
      words[index] =
        UInt32(block[start]) << 24 | UInt32(block[start + 1]) << 16 | UInt32(block[start + 2]) << 8
        | UInt32(block[start + 3])
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
      let sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
      words[index] = words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1
    }
    mix(words)
  }

  private mutating func mix(_ words: [64 of UInt32]) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let choice = (e & f) ^ (~e & g)
      let first = h &+ sum1 &+ choice &+ roundConstants[index] &+ words[index]
      let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
    }
    let mixed: [8 of UInt32] = [a, b, c, d, e, f, g, h]
    for index in state.indices { state[index] = state[index] &+ mixed[index] }
  }
}

@inline(__always)
private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes (§5.3.3).
private let initialState: [8 of UInt32] = [
  0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
]

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (§4.2.2).
private let roundConstants: [64 of UInt32] = [
  0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
  0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
  0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
  0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
  0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
  0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
  0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
  0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]
