import BinderyCryptography
import Testing

struct BLAKE2bTests {
  /// The digests of Python's `hashlib.blake2b` with `digest_size=32`.
  @Test(arguments: [
    ("", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
    ("abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
  ])
  func `digests are those of another implementation`(_ message: String, _ digest: String) {
    #expect(hex(BLAKE2b.digest(Array(message.utf8))) == digest)
  }
}
