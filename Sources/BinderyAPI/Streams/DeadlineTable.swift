import BinderyHTTP

/// The deadlines of the exchanges of one event loop.
///
/// Deadlines are rounded up to ticks of 50 ms, and each tick has at most one timer. Clients that connect and
/// disconnect repeatedly therefore cannot accumulate timers.
struct DeadlineTable {
  private static var tickMilliseconds: Int64 { 50 }

  /// The exchanges whose deadline is in a tick.
  private var exchanges: [Int64: Set<ExchangeID>] = [:]

  /// Adds a deadline, which does not expire before `milliseconds` on the event loop's clock.
  ///
  /// - Returns: The tick of the deadline, which identifies it in ``remove(_:from:)``.
  mutating func insert(_ exchange: ExchangeID, at milliseconds: Int64, _ context: LoopContext) -> Int64 {
    let tick = (milliseconds + Self.tickMilliseconds - 1) / Self.tickMilliseconds
    if exchanges[tick] == nil {
      context.schedule(after: tick * Self.tickMilliseconds - context.nowMilliseconds, token: UInt64(tick))
    }
    exchanges[tick, default: []].insert(exchange)
    return tick
  }

  /// Removes a deadline. Its timer stays scheduled, and may find no exchange.
  mutating func remove(_ exchange: ExchangeID, from tick: Int64) { exchanges[tick]?.remove(exchange) }

  /// Removes and returns the exchanges whose deadline expired with a timer.
  mutating func takeExpired(token: UInt64) -> Set<ExchangeID> { exchanges.removeValue(forKey: Int64(token)) ?? [] }
}
