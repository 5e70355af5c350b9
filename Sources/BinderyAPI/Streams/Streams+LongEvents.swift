import BinderyHTTP
import BinderyTelemetry

/// Events that are written in pieces, each when the client has taken the one before.
extension Streams {
  /// The result of continuing a long event.
  enum EventStep {
    /// There is no long event, or its last piece has been taken.
    case none
    /// There is another step when the written bytes have been sent.
    case more
    /// The stream waits until others hold fewer bytes.
    case waits
  }

  /// Does the next step of a long event: measures a slice, or writes a piece.
  ///
  /// The loop calls this when everything has been sent, so the client has taken the last piece.
  func continueEvent(
    of stream: EventStream, _ exchange: ExchangeID, into output: inout ResponseWriter
  ) -> EventStep {
    switch stream.outgoing {
    case nil, .frame?: return .none
    case .unmeasured(let snapshot)?:
      if snapshot.measure() { stream.outgoing = .long(OutgoingEvent(snapshot.parts)) }
      return .more
    case .long(var event)?:
      if let slice = stream.heldSlice.take() { held.release(slice) }
      defer { wakeDeferred() }
      if event.isWritten {
        stream.outgoing = nil
        return .none
      }
      if event.needsMemory, !hasRoom {
        if !stream.isDeferred { putOff(stream, exchange) }
        return .waits
      }
      stream.isDeferred = false
      stream.heldSlice = event.writePiece(to: &output)
      if let slice = stream.heldSlice {
        held.hold(slice)
        stream.heldSince = context.nowMilliseconds
      }
      stream.outgoing = .long(event)
      return .more
    }
  }

  /// Ends the event that a stream is writing, because the stream is closed.
  func abandonEvent(of stream: EventStream) {
    stream.outgoing = nil
    if let slice = stream.heldSlice.take() { held.release(slice) }
    stream.isDeferred = false
    if stream.isWoken { didUseRoom(stream) } else { wakeDeferred() }
  }

  /// Whether streams hold so few bytes that another slice may be encoded.
  var hasRoom: Bool { held.byteCount < limits.maximumUnreadBytes }

  /// Ends streams whose clients have taken too long for a slice, until others that wait for the memory can continue.
  ///
  /// Without this limit, clients that read some bytes from time to time would keep all others from long values. The
  /// clients reconnect, and then wait like the others.
  func endSlowEvents() {
    guard !deferred.isEmpty, !hasRoom else { return }
    let streams = exchanges.entries().compactMap { exchange, state in
      if case .stream(let stream) = state { (exchange, stream) } else { nil }
    }
    guard streams.contains(where: { $0.1.isDeferred }) else { return }
    var remaining = held.byteCount
    for (exchange, stream) in streams where remaining >= limits.maximumUnreadBytes {
      guard let slice = stream.heldSlice,
        context.nowMilliseconds - stream.heldSince >= limits.heldVersionMilliseconds
      else { continue }
      context.abort(exchange)
      // A slice that others hold, too, is released by the last of them.
      if slice.holderCount == 1 { remaining -= slice.chunk.content.count }
    }
  }

  /// Makes a stream wait until others hold fewer bytes.
  func putOff(_ stream: EventStream, _ exchange: ExchangeID) {
    stream.isDeferred = true
    deferred.append(exchange)
  }

  /// Lets further streams continue after one that was woken has written, or needed no memory.
  func didUseRoom(_ stream: EventStream) {
    stream.isWoken = false
    wokenCount -= 1
    wakeDeferred()
  }

  /// Lets streams that wait continue if there is room.
  private func wakeDeferred() {
    metrics.unreadBytes.value = held.byteCount
    guard hasRoom, !deferred.isEmpty else { return }
    var ready: [ExchangeID] = []
    // More streams would find no room and wait again.
    let maximumCount = 1 + (limits.maximumUnreadBytes - held.byteCount) / SlicedJSON.sliceBytes - wokenCount
    while ready.count < maximumCount, let exchange = deferred.popFirst() {
      // Closed streams, and those that continued for another reason, need no room.
      guard let stream = exchanges.stream(exchange), stream.isDeferred else { continue }
      stream.isDeferred = false
      stream.isWoken = true
      ready.append(exchange)
    }
    wokenCount += ready.count
    context.markStreamsReady(ready)
  }
}
