import BinderyHTTP
import BinderySystem
import BinderyTelemetry

/// Disconnecting peers that do not read their responses, while the server buffers too much.
extension EventLoop {
  /// The time for which a peer may leave the buffered part of its response unread although memory is short. For a part
  /// of 64 KiB, a connection of half a megabit per second is fast enough.
  private static var graceMilliseconds: Int64 { 1_000 }

  /// Whether all loops together buffer so much that peers that do not read must be disconnected.
  var isShortOfMemory: Bool { bufferedBytes.count > 2 * limits.bufferedBytes }

  /// Records that a peer accepts no more bytes, and makes room for them.
  ///
  /// A peer that has just stopped accepting is probably reading: any long response fills the buffers of the kernel. So
  /// those that have been blocked for longest are disconnected, on all loops. Only far above the limit, where even the
  /// grace period is too long, may it be any of them.
  mutating func makeRoom(for slot: Int) {
    connections[slot].blockedSince = min(connections[slot].blockedSince, context.nowMilliseconds)
    updateBufferedBytes(slot)
    guard isShortOfMemory else { return }
    dropLongStalled()
    while bufferedBytes.count > 5 * limits.bufferedBytes / 2, let longest = longestBlocked() { dropStalled(longest) }
    if isShortOfMemory { bufferedBytes.reportShortage() }
  }

  /// Disconnects the peers that have been blocked for longest, until memory suffices or all others are in their grace
  /// period.
  mutating func dropLongStalled() {
    while isShortOfMemory, let longest = longestBlocked(),
      context.nowMilliseconds - connections[longest].blockedSince >= Self.graceMilliseconds
    {
      dropStalled(longest)
    }
  }

  /// Disconnects a peer that does not read, with a reset: the memory of the kernel is to be freed, and a client must
  /// not take the end for that of the content.
  mutating func dropStalled(_ slot: Int) {
    metrics.stalled.add()
    connections[slot].socket?.discardUnreceivedBytes()
    drop(slot)
  }

  /// Returns the connection that has been blocked for longest, among those whose bytes are in memory only for them.
  private func longestBlocked() -> Int? {
    var longest: Int?
    for slot in connections.indices where connections[slot].bufferedBytes.unsent > 0 {
      if let longest, connections[longest].blockedSince <= connections[slot].blockedSince { continue }
      longest = slot
    }
    return longest
  }
}
