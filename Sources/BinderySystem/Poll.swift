import CBinderyLinux

/// Waits for many descriptors at once (epoll(7)).
@safe package struct Poll: ~Copyable {
  /// What has happened to a descriptor.
  package struct Event: Sendable {
    package let token: UInt64
    private let flags: UInt32

    init(token: UInt64, flags: UInt32) {
      self.token = token
      self.flags = flags
    }

    package var isReadable: Bool { flags & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
    package var isWritable: Bool { flags & EPOLLOUT.rawValue != 0 }
    /// The peer has ended its side.
    package var peerHasEnded: Bool { flags & EPOLLRDHUP.rawValue != 0 }
    /// Both sides have ended, or the connection was reset.
    package var isBroken: Bool { flags & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
  }

  private let descriptor: Descriptor
  private var events: [epoll_event]
  private var count = 0

  /// A poll that tells up to this many events at once.
  package init(capacity: Int) throws(Errno) {
    descriptor = Descriptor(owning: try Errno.check { epoll_create1(Int32(EPOLL_CLOEXEC)) })
    unsafe events = [epoll_event](repeating: epoll_event(), count: capacity)
  }

  /// Watches a connection for everything; each event is told once, when it happens (EPOLLET), so nothing needs to be
  /// changed or asked again for as long as the connection lives.
  package func add(_ socket: Socket, token: UInt64) throws(Errno) {
    let flags = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
    try control(EPOLL_CTL_ADD, socket.number, token: token, flags: flags)
  }

  /// Watches a listener; told for as long as connections wait.
  package func add(_ listener: Listener, token: UInt64) throws(Errno) {
    try control(EPOLL_CTL_ADD, listener.descriptor.number, token: token, flags: EPOLLIN.rawValue)
  }

  /// Watches a wake-up; told once for each signal.
  package func add(_ wakeup: Wakeup, token: UInt64) throws(Errno) {
    try control(EPOLL_CTL_ADD, wakeup.descriptor.number, token: token, flags: EPOLLIN.rawValue | EPOLLET.rawValue)
  }

  /// Watches a listener no longer.
  package func remove(_ listener: Listener) {
    try? control(EPOLL_CTL_DEL, listener.descriptor.number, token: 0, flags: 0)
  }

  private func control(_ operation: Int32, _ number: Int32, token: UInt64, flags: UInt32) throws(Errno) {
    var event = unsafe epoll_event()
    unsafe event.events = flags
    unsafe event.data.u64 = token
    guard unsafe epoll_ctl(descriptor.number, operation, number, &event) == 0 else { throw .current }
  }

  /// Waits until something happens, or time is up.
  ///
  /// - Parameter milliseconds: negative for as long as it takes.
  /// - Returns: how many events there are; a signal counts as none.
  package mutating func wait(milliseconds: Int) -> Int {
    let result = unsafe bindery_epoll_wait(
      descriptor.number, &events, Int32(events.count), Int32(clamping: milliseconds))
    count = max(0, Int(result))
    return count
  }

  /// An event of the last wait.
  package subscript(index: Int) -> Event {
    precondition(index < count)
    let event = unsafe events[index]
    return Event(token: unsafe event.data.u64, flags: unsafe event.events)
  }
}
