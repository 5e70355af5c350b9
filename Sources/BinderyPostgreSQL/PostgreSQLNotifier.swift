import BinderySystem
import Synchronization

/// Announces the appends of this server to the others, and hears their announcements (NOTIFY and LISTEN).
///
/// A server finds the commits of others by looking at the head; announcements only tell it when to look. They are
/// never part of an append, because PostgreSQL lets the commits of transactions with NOTIFY wait for each other. Two
/// connections of a thread serve them: one sends, the other one listens. Each announcement also comes back to this
/// server; one that does not shows that LISTEN has no effect, as behind a connection pool in transaction mode.
package final class PostgreSQLNotifier: Sendable {
  /// The channel of all documents. The payload is the id of the document.
  private static let channel = "bindery"

  /// The minimum time between two announcements, in milliseconds.
  private static var intervalMilliseconds: Int64 { 10 }

  /// The time to the next attempt to connect after a failure, in milliseconds.
  private static var retryMilliseconds: Int64 { 1_000 }

  /// The time to the next attempt if LISTEN does not work, in milliseconds.
  private static var refusalMilliseconds: Int64 { 60_000 }

  private let address: PostgreSQLAddress
  private let document: String
  /// The time within which an announcement comes back, in milliseconds.
  private let echoMilliseconds: Int64
  private let onRefusal: @Sendable (String) -> Void
  private let wakeup: Wakeup
  private let hasAppended = Atomic(false)
  private let isStopped = Atomic(false)
  private let listening = Atomic(false)
  private let thread = Mutex<Thread?>(nil)

  /// Creates a notifier.
  ///
  /// - Parameter onRefusal: Called once, with the reason, if LISTEN does not work.
  package init(
    _ address: PostgreSQLAddress, document: String, echoMilliseconds: Int64 = 2_000,
    onRefusal: @escaping @Sendable (String) -> Void
  ) throws {
    (self.address, self.document) = (address, document)
    (self.echoMilliseconds, self.onRefusal) = (echoMilliseconds, onRefusal)
    wakeup = try Wakeup()
  }

  /// Whether announcements arrive.
  package var isListening: Bool { listening.load(ordering: .relaxed) }

  /// Tells the other servers soon that this server has appended.
  package func announce() {
    if !hasAppended.exchange(true, ordering: .acquiringAndReleasing) { wakeup.signal() }
  }

  /// Starts the thread.
  ///
  /// - Parameter onAnnouncement: Called when another server has announced an append.
  package func start(_ onAnnouncement: @escaping @Sendable () -> Void) throws {
    let started = try Thread { [self] in
      guard var poll = try? Poll(capacity: 2), (try? poll.add(wakeup, token: 0)) != nil else { return }
      var session = Session()
      while !isStopped.load(ordering: .acquiring) {
        _ = poll.wait(milliseconds: Int(clamping: millisecondsUntilWork(session)))
        serve(&session, poll, onAnnouncement)
      }
    }
    thread.withLock { $0 = started }
  }

  /// Lets the thread end, without waiting for it.
  func beginStop() {
    isStopped.store(true, ordering: .releasing)
    wakeup.signal()
  }

  /// Closes the connections and ends the thread.
  package func stop() {
    beginStop()
    thread.withLock { $0.take() }?.join()
  }

  /// The state of the thread. Times are milliseconds of the monotonic clock.
  private struct Session {
    var connections: (listener: PostgreSQLConnection, sender: PostgreSQLConnection, senderID: Int)?
    var nextAttempt: Int64 = 0
    var lastAnnouncement: Int64 = 0
    /// The time of the first announcement that has not come back; nil if all have.
    var awaitsEchoSince: Int64?
    var wasRefused = false
  }

  private func millisecondsUntilWork(_ session: Session) -> Int64 {
    let now = Clock.monotonicMilliseconds
    guard session.connections != nil else { return max(0, session.nextAttempt - now) }
    var end = Int64.max
    if hasAppended.load(ordering: .acquiring) { end = session.lastAnnouncement + Self.intervalMilliseconds }
    if let since = session.awaitsEchoSince { end = min(end, since + echoMilliseconds) }
    return end == .max ? -1 : max(0, end - now)
  }

  /// Does what is due.
  private func serve(_ session: inout Session, _ poll: borrowing Poll, _ onAnnouncement: () -> Void) {
    do throws(PostgreSQLError) {
      let now = Clock.monotonicMilliseconds
      if session.connections == nil {
        guard now >= session.nextAttempt else { return }
        try connect(&session, poll)
        // What was appended meanwhile was not announced to this server.
        onAnnouncement()
      }
      guard let connections = session.connections else { return }
      for notification in try connections.listener.takeNotifications() where notification.payload == document {
        if notification.sender == connections.senderID {
          session.awaitsEchoSince = nil
          listening.store(true, ordering: .relaxed)
        } else {
          onAnnouncement()
        }
      }
      if let since = session.awaitsEchoSince, now - since >= echoMilliseconds {
        return refuse(&session, "a notification did not arrive")
      }
      guard now - session.lastAnnouncement >= Self.intervalMilliseconds,
        hasAppended.exchange(false, ordering: .acquiringAndReleasing)
      else { return }
      try announce(&session)
    } catch {
      if error.state != nil, !error.isTemporary { return refuse(&session, error.description) }
      disconnect(&session, for: Self.retryMilliseconds)
    }
  }

  private func connect(_ session: inout Session, _ poll: borrowing Poll) throws(PostgreSQLError) {
    let (listener, sender) = (try connection(), try connection())
    let deadline = Clock.monotonicMilliseconds + DatabaseTimeouts().answer
    try listener.run("LISTEN \(Self.channel)", until: deadline)
    // libpq's own idea of the process id is that of a connection pool, if there is one.
    let id = try sender.run("SELECT pg_backend_pid()::bigint", until: deadline).integer(0, 0)
    guard let descriptor = listener.descriptor, (try? poll.add(descriptor: descriptor, token: 1)) != nil else {
      throw .connection("the connection cannot be watched")
    }
    session.connections = (listener, sender, id)
    // Comes back if LISTEN works.
    try announce(&session)
  }

  private func connection() throws(PostgreSQLError) -> PostgreSQLConnection {
    var failure: PostgreSQLError?
    for parameters in address.parameters where !isStopped.load(ordering: .acquiring) {
      do throws(PostgreSQLError) {
        let deadline = Clock.monotonicMilliseconds + PostgreSQLStorage.connectionMilliseconds
        return try PostgreSQLConnection(parameters, until: deadline)
      } catch { failure = error }
    }
    throw failure ?? .connection("there is no host")
  }

  private func announce(_ session: inout Session) throws(PostgreSQLError) {
    let now = Clock.monotonicMilliseconds
    session.lastAnnouncement = now
    session.awaitsEchoSince = session.awaitsEchoSince ?? now
    // An announcement need not survive a crash, so its commit waits for no disk and no standby. The setting ends with
    // the transaction: a connection pool may use the same connection for appends.
    try session.connections?.sender.run(
      "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)",
      [.text(Self.channel), .text(document)], until: now + DatabaseTimeouts().answer)
  }

  private func refuse(_ session: inout Session, _ reason: String) {
    if !session.wasRefused { onRefusal(reason) }
    session.wasRefused = true
    disconnect(&session, for: Self.refusalMilliseconds)
  }

  private func disconnect(_ session: inout Session, for milliseconds: Int64) {
    listening.store(false, ordering: .relaxed)
    session.connections = nil
    session.awaitsEchoSince = nil
    session.nextAttempt = Clock.monotonicMilliseconds + milliseconds
  }
}
