/// The identity of one open request-response exchange on one event loop.
///
/// Slots are reused; a slot's generation changes with each request. An ID that is kept after its exchange has ended
/// therefore matches no later exchange.
package struct ExchangeID: Hashable, Sendable {
  /// The index of the connection in the loop's table.
  package let slot: UInt32
  /// The number of the request in that slot.
  package let generation: UInt32

  package init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}
