import BinderySystem
import Testing

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1:80", "127.0.0.1:80"), ("[::1]:0", "[::1]:0"), ("localhost:9", "127.0.0.1:9"), (":8080", "[::]:8080"),
    ("unix:/tmp/a", "unix:/tmp/a"),
  ])
  func `a valid address is parsed`(text: String, expected: String) {
    #expect(SocketAddress(text)?.description == expected)
  }

  @Test(arguments: ["", "80", "::1:80", "127.0.0.1", "127.0.0.1:65536", "name.example:80", "unix:", "1.2.3:80"])
  func `an invalid address is rejected`(text: String) {
    #expect(SocketAddress(text) == nil)
  }

  @Test func `loopback addresses are recognized`() {
    #expect(SocketAddress("127.3.2.1:80")!.isLoopback && SocketAddress("[::1]:80")!.isLoopback)
    #expect(!SocketAddress(":80")!.isLoopback && !SocketAddress("0.0.0.0:80")!.isLoopback)
  }
}
