/// The limits that protect one server: sizes, counts and timeouts.
///
/// These are the limits of the HTTP layer; event streams have their own (`StreamLimits`), and JSON and paths have
/// limits in their parsers. The comments name the status code of the response to a request that exceeds the limit.
package struct Limits: Sendable {
  /// The maximum length of the request line, without its line end (414).
  package var requestLineBytes = 8 * 1024
  /// The maximum size of the header section, and of the trailer section, including line ends (431).
  package var headerBlockBytes = 16 * 1024
  /// The maximum number of header fields, and of trailer fields (431).
  package var headerFields = 100
  /// The maximum size of a decoded request body (413).
  package var bodyBytes = 1024 * 1024
  /// The maximum length of a chunk-size line, including its extensions and line end (400).
  package var chunkLineBytes = 256
  /// The maximum number of pipelined requests that are served before other connections.
  package var pipelinedRequests = 128
  /// The size of the buffered responses above which they are sent, even if more pipelined requests wait.
  package var pipelinedResponseBytes = 256 * 1024
  /// The timeout from the first byte of a request to the end of its header section (408).
  package var headerTimeoutMilliseconds = 10_000
  /// The interval over which the transfer rate of a body is measured, starting at the end of its header section (408).
  package var bodyPaceMilliseconds = 5_000
  /// The minimum transfer rate of an incomplete body, in bytes per second.
  package var bodyPaceBytesPerSecond = 240
  /// The number of bytes that a slow peer must receive within the timeout of a blocked write.
  package var bytesPerWriteTimeout = 2_400
  /// The idle timeout between two requests; the connection is then closed without a response.
  package var idleTimeoutMilliseconds = 60_000
  /// The timeout of a blocked write: a peer that receives fewer than ``bytesPerWriteTimeout`` bytes in this time is
  /// disconnected.
  package var writeTimeoutMilliseconds = 10_000
  /// The time that the server keeps reading after its last response.
  ///
  /// Closing a socket with unread bytes resets the connection, and the peer could lose the response (RFC 9112 §9.6).
  package var lingerMilliseconds = 5_000
  /// The maximum number of bytes that the server discards after its last response.
  package var lingerBytes = 8 * 1024 * 1024
  /// The time that a peer has to read the last bytes when the server stops.
  package var stopFlushMilliseconds = 500
  /// The unit of the limits of bytes that all event loops buffer for incomplete requests and unsent responses.
  ///
  /// If requests with large bodies exceed it, further ones are rejected with 503. Those with small bodies may have half
  /// of it, and incomplete heads the other half. Above twice this value in total, the peers that have not read their
  /// responses for longest are disconnected.
  package var bufferedBytes = 32 * 1024 * 1024
  /// The size up to which an incomplete request is small.
  package var smallRequestBytes = 16 * 1024
  /// The number of bytes of a stream that the kernel keeps although the peer does not accept them: half of the memory
  /// that a client that stops reading occupies.
  package var unsentStreamBytes = 32 * 1024
  /// The time that a graceful stop waits for open exchanges. It is shorter than the time after which Docker, Kubernetes
  /// and systemd kill a process in the provided configurations.
  package var drainMilliseconds = 8_000
  /// The maximum number of open connections per event loop.
  package var connectionsPerLoop = 100_000

  /// Creates the default limits.
  package init() {}
}
