package import BinderySystem

/// An address cannot be listened on.
package struct ListenError: Error, CustomStringConvertible {
  package let address: SocketAddress
  package let errno: Errno

  package var description: String { "cannot listen on \(address): \(errno)" }
}
