import BinderyDigest
import Testing

@Suite struct DigestTextTests {
  @Test(arguments: [
    (Digest(high: 0, low: 0), "AAAAAAAAAAAAAAAAAAAAAA"),
    (Digest(high: .max, low: .max), "_____________________w"),
    (Digest(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F), "AAECAwQFBgcICQoLDA0ODw"),
    (Digest(high: 0xFBEF_BEFB_EFBE_FBEF, low: 0xBEFB_EFBE_FBEF_BEFB), "----------------------".dropLast() + "w"),
  ])
  func `the text of a digest is base64url`(digest: Digest, text: String) {
    #expect(digest.text == text)
    #expect(Digest(text: text.utf8.span) == digest)
  }

  @Test func `a digest round-trips through its text`() {
    for _ in 0..<1_000 {
      let digest = Digest(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
      var bytes = Array("id: ".utf8)
      digest.write(into: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == "id: \(digest.text)")
      #expect(digest.text.utf8.count == Digest.textLength)
      #expect(Digest(text: digest.text.utf8.span) == digest)
    }
  }

  @Test(arguments: [
    "", "A", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAA_",
    "AAAAAAAAAAAAAAAAAAAA==", "+AAAAAAAAAAAAAAAAAAAAA", "/AAAAAAAAAAAAAAAAAAAAA", " AAAAAAAAAAAAAAAAAAAAA",
    "éAAAAAAAAAAAAAAAAAAAA",
  ])
  func `any other text is not a digest`(text: String) {
    #expect(Digest(text: text.utf8.span) == nil)
  }
}
