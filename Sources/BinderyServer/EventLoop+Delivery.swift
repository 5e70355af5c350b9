import BinderyHTTP
import BinderySystem

/// Bytes that the kernel has accepted and the peer has not received.
///
/// The kernel can end such connections by itself (TCP_USER_TIMEOUT), but takes a slow peer with a small receive window
/// for one that has vanished.
extension EventLoop {
  /// The time after which a peer of a stream that has received nothing of what was written has vanished.
  private static var vanishedMilliseconds: Int64 { 30_000 }

  /// Returns the number of bytes that the kernel has accepted and the peer has not received.
  func unreceivedBytes(_ slot: Int) -> Int { connections[slot].socket?.unreceivedBytes ?? 0 }

  /// Records how many bytes the peer has received.
  mutating func checkReceived(_ slot: Int) {
    let count = unreceivedBytes(slot)
    connections[slot].received = connections[slot].written - count
    connections[slot].hadUnreceived = count > 0
    connections[slot].checkTime = context.nowMilliseconds
  }

  /// Returns whether a peer has received enough since the last check.
  ///
  /// The kernel reports that it accepts bytes again only when a third of its buffer is free, which takes a slow peer
  /// longer than the timeout.
  func isReceiving(_ slot: Int) -> Bool {
    let received = connections[slot].written - unreceivedBytes(slot)
    return received >= connections[slot].received + limits.bytesPerWriteTimeout
  }

  /// Gives a peer that is receiving more time.
  mutating func extendDeadline(_ slot: Int) {
    if connections[slot].isBlocked { return waitForPeer(slot) }
    checkReceived(slot)
    connections[slot].machine.extendDeadline(now: context.nowMilliseconds, limits: limits)
    registerDeadline(slot)
  }

  /// Returns whether the peer of a stream has received nothing for long, although bytes were written.
  mutating func hasVanished(_ slot: Int) -> Bool {
    guard context.nowMilliseconds - connections[slot].checkTime >= Self.vanishedMilliseconds else { return false }
    let (previous, hadUnreceived) = (connections[slot].received, connections[slot].hadUnreceived)
    checkReceived(slot)
    return hadUnreceived && connections[slot].received == previous
  }

  /// Sets a deadline for the peer of a connection whose exchange waits, if it has much to receive of earlier responses.
  mutating func watchDelivery(_ slot: Int) {
    guard connections[slot].written - connections[slot].received > limits.unsentStreamBytes else { return }
    checkReceived(slot)
    guard connections[slot].hadUnreceived else { return }
    connections[slot].machine.writeBlocked(now: context.nowMilliseconds, limits: limits)
    registerDeadline(slot)
  }

  /// Ends, or gives more time to, a connection that waits for its peer and whose deadline has passed.
  mutating func deliveryTimedOut(_ slot: Int) {
    let isBlocked = connections[slot].isBlocked
    if isBlocked || unreceivedBytes(slot) > 0, drainDeadline == nil, isReceiving(slot) { return extendDeadline(slot) }
    if isBlocked { return dropStalled(slot) }
    // The kernel delivers a short rest, and everything when the server stops.
    let isStalled = drainDeadline == nil && unreceivedBytes(slot) > 0
    if connections[slot].machine.isLingering { return isStalled && mustDeliver(slot) ? dropStalled(slot) : drop(slot) }
    if isStalled { return dropStalled(slot) }
    if connections[slot].machine.hasOpenExchange { connections[slot].machine.writeCompleted() } else { drop(slot) }
  }

  /// Returns whether the peer of a connection that is to be closed has much to receive. After closing, the kernel would
  /// keep the bytes for minutes, even if the peer does not read.
  func mustDeliver(_ slot: Int) -> Bool {
    connections[slot].written > limits.unsentStreamBytes && unreceivedBytes(slot) > limits.unsentStreamBytes
  }
}
