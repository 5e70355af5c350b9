/// The values of computed members in one version of a draft, and a budget for what runs again.
///
/// The operations of one request that name the same computed member evaluate its getter once, until one of them changes
/// the draft. Getters that ran in an earlier version are then charged, and so are checks of the draft after the first
/// one. Used by one thread.
@usableFromInline
package final class GetterCache {
  /// The limits for getters and checks that run again because the draft has changed.
  package struct Budget {
    fileprivate var runs: Int
    fileprivate var nanoseconds: Int64
    fileprivate let clock: @Sendable () -> Int64

    /// Creates a budget.
    ///
    /// - Parameter clock: returns the processor time of this thread, in nanoseconds.
    package init(runs: Int, nanoseconds: Int64, clock: @escaping @Sendable () -> Int64) {
      (self.runs, self.nanoseconds, self.clock) = (runs, nanoseconds, clock)
    }

    /// Returns a result and the time that it took, in nanoseconds.
    fileprivate func measure<Result>(_ body: () -> Result) -> (Result, Int64) {
      let start = clock()
      let result = body()
      return (result, clock() - start)
    }
  }

  /// The runs of the getter at one place.
  private struct Runs {
    /// The version of the draft in which it ran first.
    let firstVersion: Int
    /// The duration of the last run.
    let nanoseconds: Int64
  }

  private var values: [[UInt8]: any Sendable] = [:]
  private var runs: [[UInt8]: Runs] = [:]
  private var version = 0
  /// The rest of the budget; nil if getters are not limited.
  private var budget: Budget?
  private var isRunning = false
  /// The duration of the last check of the draft; nil before the first one.
  private var checkNanoseconds: Int64?
  /// Whether a getter or a check did not run because the budget was used up. The operation must then be refused.
  package private(set) var isExhausted = false

  /// Creates an empty cache.
  ///
  /// - Parameter budget: the budget for getters that run again; nil for no limit.
  package init(_ budget: Budget? = nil) { self.budget = budget }

  /// Forgets the values, because the draft changed.
  package func invalidate() {
    values.removeAll(keepingCapacity: true)
    version += 1
  }

  /// Forgets the values, because the draft has its final version. Each getter runs at most once more, so getters are no
  /// longer charged.
  package func invalidateFinally() {
    invalidate()
    budget = nil
  }

  /// Returns the value of a computed member, and runs its getter unless the value is known.
  ///
  /// - Parameter place: the steps from the root to the member.
  /// - Returns: nil if the budget is used up.
  @usableFromInline
  func value<Value: Sendable>(at place: some Sequence<Step>, _ get: () -> Value) -> Value? {
    let key = place.identity
    // Casting the lookup's result would turn a missing value of an optional type into nil.
    if let known = values[key], let value = known as? Value { return .some(value) }
    guard let value = run(at: key, get) else { return nil }
    values[key] = value
    return .some(value)
  }

  /// Runs the getter of a computed member, or the getters below a place, without keeping a value.
  ///
  /// - Parameter place: the steps from the root to the place.
  /// - Returns: nil if the budget is used up.
  @usableFromInline
  package func run<Result>(at place: [Step], _ get: () -> Result) -> Result? { run(at: place.identity, get) }

  private func run<Result>(at key: [UInt8], _ get: () -> Result) -> Result? {
    // A getter below a place whose getters are running is charged with it.
    guard let budget, !isRunning else { return .some(get()) }
    let earlier = runs[key]
    let isCharged = earlier.map { $0.firstVersion != version } ?? false
    // A run takes about as long as the last one.
    if isCharged, let earlier, budget.runs <= 0 || earlier.nanoseconds > budget.nanoseconds { isExhausted = true }
    if isExhausted { return nil }
    isRunning = true
    let (result, duration) = budget.measure(get)
    isRunning = false
    runs[key] = Runs(firstVersion: earlier?.firstVersion ?? version, nanoseconds: duration)
    if isCharged {
      self.budget?.runs -= 1
      self.budget?.nanoseconds -= duration
    }
    return .some(result)
  }

  /// Checks a version of the draft. The duration of each check but the first is charged, because a check of a long
  /// array or dictionary visits all its elements.
  ///
  /// - Returns: nil if the budget is used up.
  package func check(_ isValid: () -> Bool) -> Bool? {
    guard let budget else { return isValid() }
    // A check takes about as long as the last one.
    if let checkNanoseconds, checkNanoseconds > budget.nanoseconds { isExhausted = true }
    if isExhausted { return nil }
    let (result, duration) = budget.measure(isValid)
    if checkNanoseconds != nil { self.budget?.nanoseconds -= duration }
    checkNanoseconds = duration
    return result
  }
}

extension Absence {
  /// Ends an operation because the budget for getters is used up, which is reported instead.
  @usableFromInline
  static func interrupted(_ depth: Int) -> Absence { Absence(.noSuchElement(""), depth: depth) }
}

extension Sequence<Step> {
  /// Bytes that identify the place at the end of the steps. The bytes of a place begin with those of its parents.
  @usableFromInline package var identity: [UInt8] {
    var bytes: [UInt8] = []
    for step in self {
      switch step {
      case .member(let index): bytes.append(tag: "m", index)
      case .payload(let index): bytes.append(tag: "p", index)
      case .index(let index): bytes.append(tag: "i", index)
      case .wrapped: bytes.append(tag: "w", 0)
      case .end: bytes.append(tag: "e", 0)
      case .key(let key):
        let text = Array(key.text.utf8)
        bytes.append(tag: "k", text.count)
        bytes += text
      }
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(tag: Unicode.Scalar, _ number: Int) {
    append(UInt8(ascii: tag))
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
