import BinderySystem
import BinderyTestKit
import Synchronization

/// Reads the output of a server on a thread, so that the server never waits for the reader.
final class ServerErrors: Sendable {
  private let output: Mutex<String>
  private let thread = Mutex<BinderySystem.Thread?>(nil)

  init(_ process: ChildProcess, after start: String) throws {
    output = Mutex(start)
    let started = try BinderySystem.Thread { [self] in
      while case let bytes = process.readErrors(), !bytes.isEmpty {
        output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
      }
    }
    thread.withLock { $0 = started }
  }

  var text: String { output.withLock { $0 } }

  /// The text, when the writer has ended.
  var completeText: String {
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
    return text
  }
}
