import BinderyHTTP

/// Who is to be looked at when. Times are rounded up to ticks, and each tick has one timer: whoever sets alarms and
/// goes away, again and again, leaves nothing behind but that.
struct DeadlineTable {
  private static var tickMilliseconds: Int64 { 50 }

  /// Those whose time comes with a tick, until it has come.
  private var due: [Int64: Set<ExchangeID>] = [:]

  /// Has an exchange looked at, not before the loop's clock shows a time.
  ///
  /// - Returns: the tick.
  mutating func set(_ exchange: ExchangeID, at milliseconds: Int64, _ context: LoopContext) -> Int64 {
    let tick = (milliseconds + Self.tickMilliseconds - 1) / Self.tickMilliseconds
    if due[tick] == nil {
      context.schedule(after: tick * Self.tickMilliseconds - context.nowMilliseconds, token: UInt64(tick))
    }
    due[tick, default: []].insert(exchange)
    return tick
  }

  mutating func remove(_ exchange: ExchangeID, from tick: Int64) { due[tick]?.remove(exchange) }

  /// Those whose time has come with the timer of a token.
  mutating func take(_ token: UInt64) -> Set<ExchangeID> { due.removeValue(forKey: Int64(token)) ?? [] }
}
