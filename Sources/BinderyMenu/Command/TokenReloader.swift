import BinderyAPI
import BinderyService
import BinderySystem
import BinderyTelemetry

/// Knows who may use the menu: reads the token files, and reads them again when they change.
struct TokenReloader {
  private let files: (write: TokenFile, read: TokenFile?)?
  /// What the kernel said of the files when they were last looked at.
  private var seen: [FileStatus?] = []
  /// For the service to begin with.
  let policy: AccessPolicy

  init(_ options: Options) throws(CommandError) {
    files = options.tokenFile.map { (TokenFile(path: $0), options.readTokenFile.map(TokenFile.init)) }
    var policy: AccessPolicy
    if let files {
      seen = Self.look(at: files)
      do throws(TokenFileError) {
        let tokens = try Self.read(files)
        policy = .tokens(write: tokens.write, read: tokens.read)
      } catch { throw CommandError(.configuration, error.message) }
    } else if options.admitsAll {
      policy = .open
    } else {
      try Self.checkLocal(options)
      policy = .local
    }
    policy.allowedOrigins = options.allowedOrigins
    policy.allowedHosts = options.allowedHosts
    policy.isBehindTLS = options.isBehindTLS
    policy.sessionSeconds = options.sessionTime.milliseconds / 1_000
    self.policy = policy
  }

  private static func checkLocal(_ options: Options) throws(CommandError) {
    guard let other = options.listen.first(where: { SocketAddress($0)?.isLoopback == false }) else { return }
    throw CommandError(
      .configuration,
      "others can reach \(other): give --token-file FILE, or --no-auth if everybody shall read and write")
  }

  /// What a person should know of the files.
  var warnings: [String] {
    guard let files else { return [] }
    return [files.write, files.read].compactMap { $0 }.filter(\.isExposed).map {
      "\($0.path) can be read by everybody on this machine: chmod 600"
    }
  }

  /// Reads the files again if anything about them has changed.
  mutating func reloadIfChanged(_ service: Service<Menu>, _ logger: Logger) {
    guard let files, Self.look(at: files) != seen else { return }
    reload(service, logger)
  }

  /// Reads the files again. While one is broken, the tokens stay what they were.
  mutating func reload(_ service: Service<Menu>, _ logger: Logger) {
    guard let files else { return }
    // Before they are read: a change in between is seen at the next look.
    seen = Self.look(at: files)
    do throws(TokenFileError) {
      let tokens = try Self.read(files)
      service.replaceTokens(write: tokens.write, read: tokens.read)
      logger.log(.info, "tokens read again: \(tokens.write.count) to write, \(tokens.read.count) to read")
    } catch {
      logger.log(.error, "\(error.message); the tokens stay what they were")
    }
  }

  private static func read(
    _ files: (write: TokenFile, read: TokenFile?)
  ) throws(TokenFileError) -> (write: [AccessToken], read: [AccessToken]) {
    let write = try files.write.read()
    guard let file = files.read else { return (write, []) }
    let read = try file.read()
    guard Set(write).isDisjoint(with: read) else {
      throw TokenFileError("a token stands in both \(files.write.path) and \(file.path)")
    }
    return (write, read)
  }

  private static func look(at files: (write: TokenFile, read: TokenFile?)) -> [FileStatus?] {
    [FileStatus(files.write.path), files.read.flatMap { FileStatus($0.path) }]
  }
}
