import BinderyAPI
import BinderyCore
import BinderySystem
import BinderyTelemetry

/// Builds the access policy of a command, and reloads the token files when they change.
struct TokenReloader {
  private let files: (write: TokenFile, read: TokenFile?)?
  /// The status of the files when they were last read. A difference triggers a reload.
  private var lastStatus: [FileStatus?] = []
  /// The tokens of the files, as far as they were valid when they were last read.
  private var tokens: (write: [AccessToken], read: [AccessToken]) = ([], [])
  /// The initial access policy of the service.
  let policy: AccessPolicy

  /// Creates the policy and reads the token files.
  init(_ options: Options) throws(CommandError) {
    files = options.tokenFile.map { path in
      (
        TokenFile(path: path, mayBeEmpty: false),
        options.readTokenFile.map { TokenFile(path: $0, mayBeEmpty: true) }
      )
    }
    var policy: AccessPolicy
    if let files {
      lastStatus = Self.status(of: files)
      tokens = try Self.read(files)
      policy = .tokens(write: tokens.write, read: tokens.read)
    } else if options.isAuthenticationDisabled {
      policy = .open
    } else {
      try Self.checkLocal(options)
      policy = .local
    }
    policy.allowedOrigins = options.allowedOrigins
    policy.allowedHosts = options.allowedHosts
    policy.isBehindTLS = options.isBehindTLS
    policy.sessionLifetime = .milliseconds(options.sessionTime.milliseconds)
    self.policy = policy
  }

  /// Rejects addresses that other machines can reach.
  private static func checkLocal(_ options: Options) throws(CommandError) {
    guard let exposed = options.listen.first(where: { SocketAddress($0)?.isLoopback == false }) else { return }
    throw CommandError(
      .configuration,
      "other machines can reach \(exposed): set --token-file, or --no-auth to allow all clients")
  }

  /// Warnings about clients that may write, and about the permissions of the token files.
  var warnings: [String] {
    guard let files else {
      guard case .local = policy.authentication, policy.isBehindTLS || !policy.allowedHosts.isEmpty else { return [] }
      return [
        "all clients of a proxy in front of this server may read and write, because the server requires no token: set "
          + "--token-file, or --no-auth to allow all clients"
      ]
    }
    return [files.write, files.read].compactMap { $0 }.filter(\.isExposed).map {
      "\($0.path) is readable by other users of this machine: run chmod 600 \($0.path)"
    }
  }

  /// Reloads the token files if their status has changed.
  mutating func reloadIfChanged<Root: Sendable>(_ service: Service<Root>, _ logger: Logger) {
    guard let files, Self.status(of: files) != lastStatus else { return }
    reload(service, logger)
  }

  /// Reloads the token files. The previous tokens of a file that is invalid stay valid, and a token in both files may
  /// only read, so that a mistake in one file keeps no permission that was removed from the other.
  mutating func reload<Root: Sendable>(_ service: Service<Root>, _ logger: Logger) {
    guard let files else { return }
    reload(files, logger)
    service.replaceTokens(write: tokens.write, read: tokens.read)
    for warning in warnings { logger.log(.warning, warning) }
    logger.log(.info, "tokens valid now: \(tokens.write.count) read-write, \(tokens.read.count) read-only")
  }

  private mutating func reload(_ files: (write: TokenFile, read: TokenFile?), _ logger: Logger) {
    // Get the status before reading, so that the next check detects a change in between.
    lastStatus = Self.status(of: files)
    var new = tokens
    do throws(CommandError) { new.write = try files.write.read() } catch { report(error, logger) }
    do throws(CommandError) { new.read = try files.read?.read() ?? [] } catch { report(error, logger) }
    do throws(CommandError) { try Self.checkDisjoint(new, files) } catch {
      logger.log(.error, "\(error.message); it is read-only now")
      new.write.removeAll(where: Set(new.read).contains)
    }
    tokens = new
  }

  private func report(_ error: CommandError, _ logger: Logger) {
    logger.log(.error, "\(error.message); the previous tokens of the file stay valid")
  }

  private static func read(
    _ files: (write: TokenFile, read: TokenFile?)
  ) throws(CommandError) -> (write: [AccessToken], read: [AccessToken]) {
    let tokens = (write: try files.write.read(), read: try files.read?.read() ?? [])
    try checkDisjoint(tokens, files)
    return tokens
  }

  private static func checkDisjoint(
    _ tokens: (write: [AccessToken], read: [AccessToken]), _ files: (write: TokenFile, read: TokenFile?)
  ) throws(CommandError) {
    guard let file = files.read, !Set(tokens.write).isDisjoint(with: tokens.read) else { return }
    throw CommandError(.configuration, "the same token is in both \(files.write.path) and \(file.path)")
  }

  private static func status(of files: (write: TokenFile, read: TokenFile?)) -> [FileStatus?] {
    [FileStatus(files.write.path), files.read.flatMap { FileStatus($0.path) }]
  }
}
