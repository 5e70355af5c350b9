/// The request handler of one event loop.
///
/// The server creates one responder per loop and calls it only on that loop's thread.
package protocol Responder: AnyObject {
  /// Responds to a request.
  ///
  /// Called when the head is complete. If the body is not, it is `.pending`, and the responder decides on the head
  /// whether the body is read: no byte of the body of a refused request is kept.
  ///
  /// - Parameters:
  ///   - request: The parsed head. Its ranges refer to `bytes`.
  ///   - bytes: The request's bytes; valid only during the call.
  ///   - body: The state of the body. Its range refers to `bytes`.
  ///   - exchange: The identity of the exchange, for responses that are written later.
  ///   - output: Receives the response.
  func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition

  /// Continues the response of an open exchange that was marked ready and whose peer accepts bytes.
  func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult

  /// Called once when the connection of an open exchange, or of one that needs its body, is lost or dropped; never
  /// after `.finished` or `.close`.
  func peerDisconnected(_ exchange: ExchangeID)

  /// Called once per turn if `LoopHandle.wake()` was called since the last time.
  func didReceiveWake()

  /// Called at the end of each turn of the loop, for work that is cheaper once for all requests of the turn.
  func turnDidEnd()

  /// Called once for each timer that was set with `LoopContext.schedule`.
  func timerFired(_ token: UInt64)

  /// Called when a graceful stop begins. The responder should mark its open streams ready and end them.
  func willStop()

  /// Writes the error response to a message that was rejected before `respond`. The connection closes afterwards.
  ///
  /// - Parameter slot: The slot of the connection.
  func reject(_ rejection: Rejection, at slot: UInt32, into output: inout ResponseWriter)
}

/// The state of a request's body when the responder is called.
package enum RequestBody: Sendable, Equatable {
  /// The request has no body.
  case none
  /// The complete, decoded body.
  case complete(Range<Int>)
  /// The body has not arrived, or its end is not known: respond without it, or return `.needsBody`. After a response,
  /// the body is discarded as it arrives.
  case pending
  /// The body exceeds the limit and is not read: respond with an error. The connection closes afterwards.
  case tooLarge
}

/// The result of `Responder.respond`.
package enum Disposition: Sendable {
  /// The complete response is written.
  case complete
  /// Nothing is written; `respond` is called again for the same exchange with the complete body. Allowed only for
  /// `.pending`.
  case needsBody
  /// `produce` writes the response, or what is not written yet.
  case later
  /// Nothing is written; `produce` writes the response, perhaps after a long time: if the client closes its sending
  /// side before, it has abandoned the request.
  case abandonable
  /// The head of a stream is written, possibly with its first bytes; `produce` writes the rest.
  case stream
}

/// The result of `Responder.produce`.
package enum ProduceResult: Sendable {
  /// There is no output now; `markReady` or `markStreamsReady` schedules the next call.
  case idle
  /// There is more output: call again when the written bytes have been sent. Required after shared bytes.
  case more
  /// The response is complete, and the connection stays open.
  case finished
  /// The response is complete, and the connection closes.
  case close
}
