import BinderyCryptography
import Testing

struct SHA256Tests {
  /// The examples of FIPS 180-4 and test vectors of the NIST Cryptographic Algorithm Validation Program.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func `digests match the examples of FIPS 180-4`(_ message: String, _ digest: String) {
    #expect(hex(SHA256.digest(message.utf8)) == digest)
  }

  @Test func `the digest of a long message matches the NIST test vector`() {
    let digest = SHA256.digest(repeatElement(UInt8(ascii: "a"), count: 1_000_000))
    #expect(hex(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }
}

/// Returns bytes as lowercase hexadecimal digits.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
