package import BinderyHTTP
package import BinderySystem

/// What a server needs to know before it starts.
package struct ServerConfiguration: Sendable {
  /// Where to listen; port 0 lets the kernel choose, and all loops share what it chose.
  package var addresses: [SocketAddress]
  /// How many event loops answer, each on a thread of its own.
  package var loopCount: Int
  package var limits: Limits

  package init(addresses: [SocketAddress], loopCount: Int = 1, limits: Limits = Limits()) {
    self.addresses = addresses
    self.loopCount = max(1, loopCount)
    self.limits = limits
  }
}
