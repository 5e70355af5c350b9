import BinderyCryptography
import Testing

struct HMACTests {
  /// A test vector of RFC 4231.
  struct Vector: Sendable, CustomTestStringConvertible {
    /// The section of the RFC.
    let name: String
    let key: [UInt8]
    let message: [UInt8]
    /// The expected code in hexadecimal, possibly truncated.
    let code: String

    var testDescription: String { name }
  }

  /// The test vectors of RFC 4231 §4. The code of §4.6 is truncated to 128 bits.
  static let vectors = [
    Vector(
      name: "§4.2", key: Array(repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      name: "§4.3", key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      name: "§4.4", key: Array(repeating: 0xaa, count: 20), message: Array(repeating: 0xdd, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      name: "§4.5", key: Array(1...25), message: Array(repeating: 0xcd, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Vector(
      name: "§4.6", key: Array(repeating: 0x0c, count: 20), message: Array("Test With Truncation".utf8),
      code: "a3b6167473100ee06e0c796c2955552b"),
    Vector(
      name: "§4.7", key: Array(repeating: 0xaa, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      name: "§4.8", key: Array(repeating: 0xaa, count: 131),
      message: Array(
        """
        This is a test using a larger than block-size key and a larger than block-size data. The key needs to be \
        hashed before being used by the HMAC algorithm.
        """.utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test(arguments: vectors)
  func `codes match the test vectors of RFC 4231`(_ vector: Vector) {
    let code = hex(HMAC(key: vector.key).code(vector.message))
    #expect(code.hasPrefix(vector.code))
  }

  @Test func `one key can authenticate several messages`() {
    let hmac = HMAC(key: Array("Jefe".utf8))
    _ = hmac.code([1, 2, 3])
    #expect(hex(hmac.code(Self.vectors[1].message)) == Self.vectors[1].code)
  }
}
