import BinderyJournal
import BinderySQLite
import BinderySystem

extension Command {
  /// Says whether a server with these options could begin, and changes nothing.
  static func check(_ options: Options) throws(CommandError) {
    let tokenReloader = try TokenReloader(options)
    for text in options.listen {
      if let address = SocketAddress(text) { try checkAddress(address) }
    }
    let kept = try options.store == "memory" ? nil : checkStore(options.store)
    var inEffect = options
    inEffect.timeZone = options.timeZone ?? kept ?? options.defaultTimeZone
    _ = try zone(inEffect.timeZone ?? "")
    for warning in tokenReloader.warnings { StandardError.print("bindery: \(warning)") }
    print("configuration: \(inEffect.summary)")
  }

  /// Whether the address is one of this machine's; its port may be in use by the server that is to be replaced.
  private static func checkAddress(_ address: SocketAddress) throws(CommandError) {
    switch address {
    case .internet:
      do throws(Errno) {
        _ = try Listener(address: address.with(port: 0), sharesPort: false)
      } catch { throw CommandError(.configuration, "\(address): \(error)") }
    case .unix(let path): try checkFolder(of: path)
    }
  }

  /// Whether the store can be read, or made.
  ///
  /// - Returns: the time zone that it is kept in.
  private static func checkStore(_ path: String) throws(CommandError) -> String? {
    guard FileStatus(path) != nil else {
      try checkFolder(of: path)
      return nil
    }
    let log: SQLiteStorage
    do throws(StoreError) { log = try SQLiteStorage(reading: path) } catch {
      throw CommandError(.configuration, "\(path): \(error)")
    }
    do throws(RecoveryError) { _ = try Recovery<Menu>(of: log) } catch {
      throw CommandError(.configuration, "\(path) \(error)")
    }
    let zone = try? log.setting(.timeZone)
    return zone.flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func checkFolder(of path: String) throws(CommandError) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard FileStatus(folder)?.isFolder == true else {
      throw CommandError(.configuration, "\(path): there is no folder \(folder)")
    }
  }
}
