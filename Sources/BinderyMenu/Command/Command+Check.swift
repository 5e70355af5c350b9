import BinderyJournal
import BinderySQLite
import BinderySystem

extension Command {
  /// Validates the configuration of a server without starting it or changing any file.
  static func check(_ options: Options) throws(CommandError) {
    let tokenReloader = try TokenReloader(options)
    for text in options.listen {
      if let address = SocketAddress(text) { try checkAddress(address) }
    }
    let storedTimeZone = try options.store == "memory" ? nil : checkStore(options.store)
    var effective = options
    effective.timeZone = options.timeZone ?? storedTimeZone ?? options.defaultTimeZone
    _ = try timeZone(effective.timeZone ?? "")
    for warning in tokenReloader.warnings { StandardError.print("bindery: \(warning)") }
    print("configuration: \(effective.summary)")
  }

  /// Checks that the address belongs to this machine.
  ///
  /// The port is not checked, because the server that is about to be replaced may still use it.
  private static func checkAddress(_ address: SocketAddress) throws(CommandError) {
    switch address {
    case .internet:
      do throws(Errno) {
        _ = try Listener(address: address.with(port: 0))
      } catch { throw CommandError(.configuration, "\(address): \(error)") }
    case .unix(let path): try checkDirectory(of: path)
    }
  }

  /// Checks that the store can be read or created.
  ///
  /// - Returns: The time zone saved in the store, or nil if there is none.
  private static func checkStore(_ path: String) throws(CommandError) -> String? {
    guard FileStatus(path) != nil else {
      try checkDirectory(of: path)
      return nil
    }
    let storage: SQLiteStorage
    do throws(StoreError) { storage = try SQLiteStorage(reading: path) } catch {
      throw CommandError(.configuration, "\(path): \(error)")
    }
    do throws(RecoveryError) { _ = try Recovery<Menu>(of: storage) } catch {
      throw CommandError(.configuration, "\(path) \(error)")
    }
    let timeZone = try? storage.setting(.timeZone)
    return timeZone.flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func checkDirectory(of path: String) throws(CommandError) {
    let directory = File.directory(of: path)
    guard FileStatus(directory)?.isDirectory == true else {
      throw CommandError(.configuration, "\(path): the directory \(directory) does not exist")
    }
  }
}
