import BinderyHTTP

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
    case nil: return .none
    case .unmeasured(let snapshot)?:
      if snapshot.measureSlice() { stream.outgoing = .event(OutgoingEvent(snapshot.parts)) }
      return .more
    case .event(var event)?:
      if let slice = stream.heldSlice.take() { held.release(slice) }
      defer { heldBytesDidChange() }
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
      if let slice = stream.heldSlice { held.hold(slice) }
      stream.outgoing = .event(event)
      return .more
    }
  }

  /// Ends the event that a stream is writing, because the stream is closed.
  func abandonEvent(of stream: EventStream) {
    stream.outgoing = nil
    guard let slice = stream.heldSlice.take() else { return }
    held.release(slice)
    heldBytesDidChange()
  }

  /// Indicates whether streams hold so few bytes that another slice may be encoded.
  var hasRoom: Bool { held.byteCount < limits.maximumUnreadBytes }

  /// Makes a stream wait until others hold fewer bytes.
  func putOff(_ stream: EventStream, _ exchange: ExchangeID) {
    stream.isDeferred = true
    deferred.append(exchange)
  }

  /// Lets streams that wait continue if there is room.
  private func heldBytesDidChange() {
    metrics.unreadBytes.value = held.byteCount
    guard hasRoom, !deferred.isEmpty else { return }
    var ready: [ExchangeID] = []
    // More streams would find no room and wait again.
    deferred.take(1 + (limits.maximumUnreadBytes - held.byteCount) / SlicedJSON.sliceBytes, into: &ready)
    for exchange in ready { exchanges.stream(exchange)?.isDeferred = false }
    context.markStreamsReady(ready)
  }
}
