import CBinderyLinux
import Foundation
import Synchronization

/// A program that runs as a child process and ends with this object.
///
/// The child inherits its three standard streams and nothing else. `Foundation.Process` closes only the descriptors
/// that it finds before it starts a child: a pipe that another thread creates meanwhile stays open in the child, and a
/// thread that reads this pipe to its end waits for the wrong process. Tests start many processes at the same time.
public final class ChildProcess: Sendable {
  /// The reason why a program did not start or is not ready.
  public enum Failure: Error {
    /// The program did not start, with the reason.
    case notStarted(String)
    /// The program ended unexpectedly, with its exit code and its output.
    case ended(Int32, output: String)
    /// The program wrote nothing for two minutes, after this output.
    case timeout(output: String)
  }

  /// Where an output of the child goes.
  public enum Output: Sendable {
    /// To ``readOutput()`` or ``readErrors()``, and back from ``Result``.
    case pipe
    case discarded
    /// To the same stream of this process.
    case inherited
  }

  /// What a program has left behind at its end.
  public struct Result: Sendable {
    /// The exit code; 128 and the number of the signal that ended the process.
    public let code: Int32
    /// All bytes on standard output.
    public let outputBytes: [UInt8]
    /// All bytes on standard error.
    public let errorBytes: [UInt8]

    /// The text on standard output.
    public var output: String { String(decoding: outputBytes, as: UTF8.self) }
    /// The text on standard error.
    public var errors: String { String(decoding: errorBytes, as: UTF8.self) }
  }

  /// The process id.
  public let id: Int32
  private let output: FileHandle?
  private let errors: FileHandle?
  /// The exit code, once the program has ended and ``exitCode`` was read.
  private let code = Mutex<Int32?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: A path, or a name that is looked up in the search path.
  ///   - environment: All variables of the child; nil for those of this process.
  ///   - directory: The working directory; nil for that of this process.
  ///   - input: The standard input.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, directory: String? = nil,
    input: String = "", output: Output = .discarded, errors: Output = .discarded
  ) throws {
    let source = try Self.file(containing: input)
    let (outputPipe, errorPipe) = (try Self.pipe(for: output), try Self.pipe(for: errors))
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, source.fileDescriptor, 0)
    for (target, mode, pipe) in [(Int32(1), output, outputPipe), (2, errors, errorPipe)] {
      switch mode {
      case .pipe: unsafe posix_spawn_file_actions_adddup2(&actions, pipe!.input.fileDescriptor, target)
      case .discarded: unsafe posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_WRONLY, 0)
      case .inherited: break
      }
    }
    unsafe bindery_spawn_close_from(&actions, 3)
    if let directory { unsafe bindery_spawn_chdir(&actions, directory) }

    // A thread of a task blocks signals, and some tests ignore SIGPIPE: the child begins with the defaults.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
    var id: pid_t = 0
    let error = unsafe Self.withCStrings([program] + arguments) { arguments in
      unsafe Self.withCStrings(variables) { variables in
        unsafe posix_spawnp(&id, program, &actions, &attributes, arguments, variables)
      }
    }
    guard error == 0 else { throw Failure.notStarted("\(program): \(unsafe String(cString: strerror(error)))") }
    self.id = id
    (self.output, self.errors) = (outputPipe?.output, errorPipe?.output)
  }

  deinit { kill() }

  /// Waits for output and returns it; nothing at the end.
  public func readOutput() -> [UInt8] { Array(output?.availableData ?? Data()) }

  /// Waits for output on standard error and returns it; nothing at the end.
  public func readErrors() -> [UInt8] { Array(errors?.availableData ?? Data()) }

  /// Reads output until it is complete.
  ///
  /// - Throws: ``Failure`` with the output if the program ends, or writes nothing for two minutes.
  public func readOutput(until isComplete: (String) -> Bool) throws -> String {
    try read(output, until: isComplete)
  }

  /// Reads output on standard error until it is complete.
  ///
  /// - Throws: ``Failure`` with the output if the program ends, or writes nothing for two minutes.
  public func readErrors(until isComplete: (String) -> Bool) throws -> String {
    try read(errors, until: isComplete)
  }

  /// The maximum time between two outputs, in milliseconds.
  private static let timeout: Int32 = 120_000

  private func read(_ stream: FileHandle?, until isComplete: (String) -> Bool) throws -> String {
    var polled = pollfd(fd: stream?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
    var bytes: [UInt8] = []
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if isComplete(text) { return text }
      guard unsafe poll(&polled, 1, Self.timeout) != 0 else { throw Failure.timeout(output: text) }
      let more = stream?.availableData ?? Data()
      guard !more.isEmpty else { throw Failure.ended(wait(), output: text) }
      bytes += more
    }
  }

  /// Whether the process has not ended.
  public var isRunning: Bool { exitCode == nil }

  /// Waits for the end of the process.
  ///
  /// - Returns: The exit code, as in ``Result/code``.
  @discardableResult
  public func wait() -> Int32 {
    while true {
      if let exitCode { return exitCode }
      // WNOWAIT: the process is only waited for, without the lock, so that another thread can send signals.
      var info = unsafe siginfo_t()
      unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT)
    }
  }

  /// Sends a signal to the process unless it has ended.
  public func send(_ signal: Int32) {
    // Until it is waited for, an ended process keeps its id.
    code.withLock { code in if code == nil { _ = Glibc.kill(id, signal) } }
  }

  /// Ends the process with SIGTERM.
  ///
  /// - Returns: The exit code, as in ``Result/code``.
  @discardableResult
  public func stop() -> Int32 {
    send(SIGTERM)
    return wait()
  }

  /// Ends the process with SIGKILL.
  public func kill() {
    send(SIGKILL)
    wait()
  }

  /// Reads both outputs to their ends, and waits for the end of the process.
  public func finish() -> Result {
    var bytes: [[UInt8]] = [[], []]
    let handles = [output, errors]
    var polled = handles.map { pollfd(fd: $0?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0) }
    while polled.contains(where: { $0.fd >= 0 }) {
      unsafe poll(&polled, nfds_t(polled.count), -1)
      for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
        let data = handles[index]!.availableData
        bytes[index] += data
        if data.isEmpty { polled[index].fd = -1 }
      }
    }
    return Result(code: wait(), outputBytes: bytes[0], errorBytes: bytes[1])
  }

  /// Runs a program to its end.
  ///
  /// - Parameters: Those of the initializer.
  @discardableResult
  public static func run(
    _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, directory: String? = nil,
    input: String = ""
  ) throws -> Result {
    try ChildProcess(
      program, arguments, environment: environment, directory: directory, input: input, output: .pipe, errors: .pipe
    ).finish()
  }

  /// Returns the path of a program that the build puts into the folder of the test executable.
  public static func builtProgram(_ name: String) throws -> String {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(filePath: tests).deletingLastPathComponent().appending(path: name).path
    guard FileManager.default.isExecutableFile(atPath: path) else { throw Failure.notStarted("\(path) is not built") }
    return path
  }

  /// The sanitizer options of this process, which children must share, so that the same reports are suppressed.
  public static var sanitizerOptions: [String: String] {
    ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
  }

  /// The exit code, as in ``Result/code``; nil while the process runs.
  private var exitCode: Int32? {
    code.withLock { code in
      var status: Int32 = 0
      if code == nil, unsafe waitpid(id, &status, WNOHANG) == id {
        code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
      }
      return code
    }
  }

  /// MFD_CLOEXEC, which is declared only with _GNU_SOURCE.
  private static let closeOnExec: UInt32 = 1

  /// Returns a file in memory.
  private static func file(containing text: String) throws -> FileHandle {
    let file = FileHandle(
      fileDescriptor: try check(unsafe bindery_memfd_create("input", Self.closeOnExec)), closeOnDealloc: true)
    try file.write(contentsOf: Data(text.utf8))
    try file.seek(toOffset: 0)
    return file
  }

  private static func pipe(for output: Output) throws -> (output: FileHandle, input: FileHandle)? {
    guard case .pipe = output else { return nil }
    var ends: [Int32] = [0, 0]
    _ = try check(unsafe bindery_pipe2(&ends, O_CLOEXEC))
    return (
      FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
      FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    )
  }

  private static func check(_ result: Int32) throws -> Int32 {
    guard result >= 0 else { throw Failure.notStarted(unsafe String(cString: strerror(errno))) }
    return result
  }

  /// Calls a function with an array of C strings that ends with nil.
  private static func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe body(&pointers)
  }
}
