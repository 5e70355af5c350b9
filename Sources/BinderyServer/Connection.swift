import BinderyHTTP
import BinderySystem

/// One slot of an event loop's connection table.
///
/// A slot outlives its connections, because its generation must not be reused: late events and IDs refer to it.
struct Connection {
  /// An incomplete request. A class, so that a connection without one stays small.
  final class Parked {
    var buffer: RequestBuffer
    init(_ buffer: RequestBuffer) { self.buffer = buffer }
  }

  /// The socket; nil while the slot is free.
  var socket: Socket?
  /// Distinguishes the events of this connection from those of an earlier one in the same slot.
  var generation: UInt32 = 0
  var machine: ConnectionMachine
  var parked: Parked?
  /// The bytes that the peer has not accepted yet, from index `sent` on.
  var unsent: [UInt8] = []
  var sent = 0
  /// The number of bytes that the kernel has accepted from this connection.
  var written = 0
  /// The number of bytes that the peer had received at ``checkTime``.
  var received = 0
  /// When the server last determined how much the peer has received, in milliseconds.
  var checkTime = Int64(0)
  /// Whether the peer had not received everything at ``checkTime``.
  var hadUnreceived = false
  /// When the peer stopped accepting bytes, in milliseconds; the maximum while none wait for it.
  var blockedSince = Int64.max
  /// Whether `unsent` is shared with other connections and the responder.
  var isUnsentShared = false
  /// The bytes that `EventLoop.bufferedBytes` includes for this connection.
  var bufferedBytes = BufferedBytes.Amount()
  /// Whether the socket may have more bytes to read. The kernel reports readiness only when it changes (EPOLLET).
  var canRead = false
  /// Whether the kernel has reported that the peer closed its sending side. Bytes before the end may still be unread.
  var peerHasEnded = false
  /// Whether `produce` must be called when all bytes are sent.
  var wantsProduce = false
  /// Whether the slot is in the queue of the next turn.
  var isQueued = false
  /// The tick of the deadline wheel that this connection is registered for; `Int64.max` if none.
  var registeredTick = Int64.max

  /// Whether bytes wait for the peer.
  var isBlocked: Bool { sent < unsent.count }
}
