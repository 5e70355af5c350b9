/// Names one request with its answer on one event loop, for as long as that is open.
///
/// The slot is used again, the generation is not: an ID that has outlived its exchange names nothing.
package struct ExchangeID: Hashable, Sendable {
  package let slot: UInt32
  package let generation: UInt32

  package init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}
