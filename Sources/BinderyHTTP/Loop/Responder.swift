/// Answers the requests of one event loop: made once per loop, and only ever called on it.
package protocol Responder: AnyObject {
  /// Answers a request.
  ///
  /// `request` and `body` are ranges into `bytes`, which are gone after the call.
  func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition

  /// Goes on with an open exchange that was marked ready and whose peer takes bytes.
  func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult

  /// The peer of an open exchange went away or was dropped; told once, and never after `.finished` or `.close`.
  func ended(_ exchange: ExchangeID)

  /// Somebody has called `LoopHandle.wake()` since the last time.
  func woken()

  /// The loop has come to the end of its turn: the time for what is better done once for all that was asked in it.
  func turnEnds()

  /// The time asked for by `LoopContext.schedule` has come.
  func elapsed(_ token: UInt64)

  /// A graceful stop has begun: open streams should be marked ready and closed.
  func draining()

  /// Writes the answer to a message that was refused before `respond` could be asked; the connection closes after it.
  func refuse(_ rejection: Rejection, into output: inout ResponseWriter)
}

/// What a responder is given of a request's body.
package enum RequestBody: Sendable, Equatable {
  /// There is none.
  case none
  /// The whole body, decoded.
  case complete(Range<Int>)
  /// The peer waits to be asked for it (`Expect: 100-continue`): refuse now, or answer `.needsBody`.
  case pending
  /// Larger than the limit, and not read: refuse; the connection closes after the answer.
  case tooLarge
}

/// How a responder has answered.
package enum Disposition: Sendable {
  /// The whole response is written.
  case complete
  /// Nothing is written; ask again when the body is there. Only for `.pending`.
  case needsBody
  /// Nothing is written; the response follows through `produce`.
  case later
  /// The head of a stream is written, and perhaps its first bytes; more follows through `produce`.
  case stream
}

/// What came of a call to `produce`.
package enum ProduceResult: Sendable {
  /// There is nothing more to say now; `markReady` or `markStreamsReady` calls again.
  case idle
  /// There is more to say: call again when what was written has left.
  case more
  /// The response has come to its end, and the connection goes on.
  case finished
  /// The response has come to its end, and so has the connection.
  case close
}
