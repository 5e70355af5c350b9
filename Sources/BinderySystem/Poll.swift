import CBinderyLinux

/// An epoll instance: waits for events of many file descriptors (epoll(7)).
@safe package struct Poll: ~Copyable {
  /// The events reported for one descriptor.
  package struct Event: Sendable {
    package let token: UInt64
    fileprivate let flags: UInt32

    package var isReadable: Bool { flags & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
    package var isWritable: Bool { flags & EPOLLOUT.rawValue != 0 }
    /// The peer has closed its sending side.
    package var peerHasEnded: Bool { flags & EPOLLRDHUP.rawValue != 0 }
    /// The connection was reset.
    package var hasFailed: Bool { flags & EPOLLERR.rawValue != 0 }
    /// Both sides are closed, or the connection was reset.
    package var isBroken: Bool { flags & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
  }

  private let descriptor: Descriptor
  private var events: [epoll_event]
  private var count = 0

  /// Creates an epoll instance.
  ///
  /// - Parameter capacity: The maximum number of events per call of `wait`.
  package init(capacity: Int) throws(Errno) {
    descriptor = Descriptor(owning: try Errno.check { epoll_create1(Int32(EPOLL_CLOEXEC)) })
    unsafe events = [epoll_event](repeating: epoll_event(), count: capacity)
  }

  /// Adds a connection for all events, edge-triggered (EPOLLET): each change is reported once, and no further system
  /// calls are needed until the connection closes.
  package func add(_ socket: Socket, token: UInt64) throws(Errno) {
    let flags = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
    try control(EPOLL_CTL_ADD, socket.number, token: token, flags: flags)
  }

  /// Adds a listener, level-triggered: reported as long as connections wait.
  package func add(_ listener: Listener, token: UInt64) throws(Errno) {
    try control(EPOLL_CTL_ADD, listener.descriptor.number, token: token, flags: EPOLLIN.rawValue)
  }

  /// Adds a wakeup, edge-triggered: reported once per signal.
  package func add(_ wakeup: Wakeup, token: UInt64) throws(Errno) {
    try control(EPOLL_CTL_ADD, wakeup.descriptor.number, token: token, flags: EPOLLIN.rawValue | EPOLLET.rawValue)
  }

  /// Adds a watch of a directory, level-triggered: reported until its events are read.
  package func add(_ watch: borrowing DirectoryWatch, token: UInt64) throws(Errno) {
    try control(EPOLL_CTL_ADD, watch.descriptor.number, token: token, flags: EPOLLIN.rawValue)
  }

  /// Adds a descriptor of a C library for reading, level-triggered. Closing it removes it.
  package func add(descriptor number: Int32, token: UInt64) throws(Errno) {
    try control(EPOLL_CTL_ADD, number, token: token, flags: EPOLLIN.rawValue)
  }

  /// Removes a listener.
  package func remove(_ listener: Listener) {
    try? control(EPOLL_CTL_DEL, listener.descriptor.number, token: 0, flags: 0)
  }

  private func control(_ operation: Int32, _ number: Int32, token: UInt64, flags: UInt32) throws(Errno) {
    var event = unsafe epoll_event()
    unsafe event.events = flags
    unsafe event.data.u64 = token
    guard unsafe epoll_ctl(descriptor.number, operation, number, &event) == 0 else { throw .current }
  }

  /// Waits for events.
  ///
  /// - Parameter milliseconds: The timeout; negative for none.
  /// - Returns: The number of events; 0 after a timeout, and if a signal interrupted the call.
  package mutating func wait(milliseconds: Int) -> Int {
    let result = unsafe bindery_epoll_wait(
      descriptor.number, &events, Int32(events.count), Int32(clamping: milliseconds))
    count = max(0, Int(result))
    return count
  }

  /// Returns an event of the last `wait`.
  package subscript(index: Int) -> Event {
    precondition(index < count)
    let event = unsafe events[index]
    return Event(token: unsafe event.data.u64, flags: unsafe event.events)
  }
}
