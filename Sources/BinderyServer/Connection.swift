import BinderyHTTP
import BinderySystem

/// One slot of a loop's table: a connection while there is one, else only the numbers that must not be used again.
struct Connection {
  /// An unfinished request, kept by a reference so that a connection without one is small.
  final class Parked {
    var buffer: RequestBuffer
    init(_ buffer: RequestBuffer) { self.buffer = buffer }
  }

  /// nil while the slot is free.
  var socket: Socket?
  /// Tells this connection's events from those of an earlier one in the same slot.
  var generation: UInt32 = 0
  var machine: ConnectionMachine
  var parked: Parked?
  /// What the peer has not taken yet, from `sent` on.
  var unsent: [UInt8] = []
  var sent = 0
  /// How many bytes the loop has on its account for this connection.
  var heldBytes = 0
  /// Whether more may be read without being told again.
  var canRead = false
  /// Whether the kernel has told that the peer ended its side; the end itself is still to be read, behind all bytes.
  var peerHasEnded = false
  /// Whether the responder is to be asked when everything was sent.
  var wantsProduce = false
  /// Whether the slot stands in the list of those to go on with in the next turn.
  var isQueued = false
  /// The tick of the deadline wheel at which this connection is looked at; `Int64.max` for none.
  var watchedTick = Int64.max

  var isBlocked: Bool { sent < unsent.count }
}
