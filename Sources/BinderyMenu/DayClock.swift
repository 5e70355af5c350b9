public import Bindery
public import FoundationEssentials

/// Updates the date in the menu. The date is an input of the state, so that getters stay pure.
public struct DayClock: Sendable {
  /// The local date, 19:00 on that date, and the time until the next day.
  public struct Reading: Sendable {
    /// The local date.
    public let today: CalendarDay
    /// 19:00 on that date.
    public let evening: Date
    /// The time until the next day.
    public let timeToMidnight: Duration

    /// Creates a reading.
    public init(today: CalendarDay, evening: Date, timeToMidnight: Duration) {
      self.today = today
      self.evening = evening
      self.timeToMidnight = timeToMidnight
    }
  }

  private let read: @Sendable () -> Reading

  /// Creates a clock from a function, for tests.
  public init(_ read: @escaping @Sendable () -> Reading) { self.read = read }

  /// Creates a clock that reads a time in a time zone.
  ///
  /// - Parameter now: Returns the time.
  public init(_ clock: LocalClock, _ now: @escaping @Sendable () -> Date) {
    self.init { Reading(clock, at: now()) }
  }

  /// The current reading.
  public var now: Reading { read() }

  /// Advances the date in the menu if the day has changed.
  ///
  /// - Returns: The time until the next call: until midnight, but at most 30 seconds, so that a change of the system
  ///   time is noticed.
  public func tick(_ store: Store<Menu>) async -> Duration {
    let reading = now
    if store.snapshot.root.today != reading.today || store.snapshot.root.evening != reading.evening {
      // If the journal cannot write now, the next tick commits the change again.
      _ = try? await store.commit(by: "clock") { $0.advance(to: reading.today, evening: reading.evening) }
    }
    return min(max(reading.timeToMidnight, .milliseconds(1)), .seconds(30))
  }
}

extension DayClock.Reading {
  /// Creates the reading of a clock at a time.
  public init(_ clock: LocalClock, at time: Date) {
    let today = clock.day(at: time)
    let midnight = clock.time(of: 0, on: today.advanced(by: 1))
    self.init(
      today: today, evening: clock.time(of: 19, on: today),
      timeToMidnight: .seconds(midnight.timeIntervalSince(time)))
  }
}
