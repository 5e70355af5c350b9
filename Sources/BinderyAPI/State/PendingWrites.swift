import BinderyCore
import BinderyHTTP
import Synchronization

/// A write that waits, and who for.
private struct PendingWrite {
  let exchange: ExchangeID
  let answer: PendingAnswer
}

/// The writes of one event loop whose answers wait until the journal has kept what they were decided on, in order.
///
/// They stay where they were decided: the journal's thread tells once for each batch that something has come of it, and
/// the loop sees for itself what. Confined to the loop.
final class PendingWrites<Root: Model> {
  private let store: Store<Root>
  private var list: [PendingWrite] = [] {
    didSet { count = list.count }
  }
  /// Somebody waits, so that the loop is to be woken; set before anything is decided, because what was decided may be
  /// kept before the loop knows that it must wait. The store's lock orders it: it is set before the lock is taken for
  /// the decision, and looked at after it was held to publish that.
  private let isAwaited = Awaited()
  private var mustNudge = false
  private var observer: ObserverID?

  private final class Awaited: Sendable {
    let value = Atomic(false)
  }

  init(_ store: Store<Root>, _ handle: LoopHandle) {
    self.store = store
    guard store.isKept else { return }
    observer = store.observe { [isAwaited] in
      if isAwaited.value.load(ordering: .relaxed) { handle.wake() }
    }
  }

  deinit {
    if let observer { store.removeObserver(observer) }
  }

  /// How many wait; beside the list, so that to ask is not to look into it.
  private(set) var count = 0

  /// Something is about to be decided.
  func begin() {
    if observer != nil { isAwaited.value.store(true, ordering: .relaxed) }
  }

  func add(_ pending: PendingAnswer, _ exchange: ExchangeID) {
    list.append(PendingWrite(exchange: exchange, answer: pending))
    mustNudge = true
  }

  /// Has the journal take what has gathered since the last call.
  func nudge() {
    guard mustNudge else { return }
    mustNudge = false
    store.nudge()
  }

  /// Hands over the answers that can be given by now.
  func settle(_ give: (ExchangeID, () throws(Problem) -> Response) -> Void) {
    if observer == nil { return }
    var given = 0
    while given < list.count {
      let (exchange, pending) = (list[given].exchange, list[given].answer)
      switch store.outcome(of: pending.revision, in: pending.epoch) {
      case .undecided:
        list.removeFirst(given)
        return
      case .published: give(exchange, pending.answer)
      case .refused(let failure): give(exchange) { () throws(Problem) in throw Problem(failure) }
      }
      given += 1
    }
    list.removeAll(keepingCapacity: true)
    isAwaited.value.store(false, ordering: .relaxed)
  }
}
