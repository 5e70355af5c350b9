import Glibc

/// The end of a process.
struct Signal: Sendable {
  private let process: Int32

  init(_ process: Int32) { self.process = process }

  func strike() { kill(process, SIGKILL) }
}
