/// What one connection may ask of the server; every bound on the input stands here.
package struct Limits: Sendable {
  /// The longest request line, its line end not counted; a longer one is 414.
  package var requestLineBytes = 8 * 1024
  /// The largest block of fields, and of trailers, with their line ends; a larger one is 431.
  package var headerBlockBytes = 16 * 1024
  /// The most fields a request may have; more are 431.
  package var headerFields = 100
  /// The largest decoded body; a larger one is 413.
  package var bodyBytes = 1024 * 1024
  /// The longest line that gives a chunk's size, its extensions and its line end included; a longer one is 400.
  package var chunkLineBytes = 256
  /// The most requests of a pipeline that are answered before other connections have their turn.
  package var pipelinedRequests = 128
  /// How many bytes of answers may gather before they are written, although more requests wait.
  package var batchBytes = 256 * 1024
  /// The time from a request's first byte to the end of its head; later is 408.
  package var headerReadMilliseconds = 10_000
  /// The span over which a body's pace is judged, beginning with its head's end; too slow is 408.
  package var bodyPaceMilliseconds = 5_000
  /// The least number of bytes a second of a body that is not yet complete.
  package var bodyPaceBytesPerSecond = 240
  /// How long a connection may rest between two requests before it is closed without a word.
  package var idleMilliseconds = 60_000
  /// How long a peer may take no bytes at all, while some wait for it, before it is dropped.
  package var writeStallMilliseconds = 10_000
  /// How long a subscriber's kernel may confirm nothing of what was sent before it is taken to have vanished.
  package var vanishedMilliseconds = 30_000
  /// How long the server reads on after a last answer, so that the peer sees it and no reset (RFC 9112 §9.6).
  package var lingerMilliseconds = 5_000
  /// How many bytes the server reads away after a last answer.
  package var lingerBytes = 8 * 1024 * 1024
  /// How long a peer has, when the server stops, to take what it was sent last.
  package var hurriedMilliseconds = 500
  /// What one event loop may hold of unfinished requests, and of answers that their peers do not take. Beyond it large
  /// requests are refused with 503; beyond twice as much all that are unfinished are, and peers that take nothing are
  /// dropped.
  package var heldBytes = 64 * 1024 * 1024
  /// What is held of a request without asking whether there is room.
  package var smallRequestBytes = 16 * 1024
  /// The kernel's send buffer of a stream, which a stalled reader pins.
  package var streamSendBufferBytes = 64 * 1024
  /// How long a graceful stop waits for what is in flight; less than what supervisors wait before they kill.
  package var drainMilliseconds = 8_000
  /// The most connections of one event loop.
  package var connectionsPerLoop = 100_000

  /// The limits of a server that nobody has told otherwise.
  package init() {}
}
