import BinderyCore
import BinderySync
import BinderySystem
import BinderyTelemetry

extension Options {
  /// Checks that the data file can be synchronized with the store.
  func checkSync() throws(CommandError) {
    guard syncs, let from else { return }
    if try driver.isShared {
      throw CommandError(
        .configuration, "--sync needs a store that only this server uses, but other servers can use \(store)")
    }
    do throws(SyncRefusal) { try SyncFile(from).checkIsReplaceable() } catch {
      throw CommandError(.configuration, error.description)
    }
  }
}

extension Command {
  /// Synchronizes the data file and the store, and starts the thread that synchronizes later changes.
  ///
  /// - Returns: nil without `--sync`.
  func startSync(
    _ store: Store<State>, _ options: Options, _ logger: Logger
  ) throws(CommandError) -> DataFileSync<State>? {
    guard options.syncs, let from = options.from else { return nil }
    let recordPath = try options.driver.files.first.map { $0 + "-sync" }
    let sync: DataFileSync<State>
    do throws(SyncRefusal) { sync = try DataFileSync(from, store, recordPath: recordPath, logger) } catch {
      throw CommandError(.configuration, error.description)
    }
    do throws(Errno) { try sync.start() } catch { throw CommandError(.osError, "cannot start a thread: \(error)") }
    return sync
  }

  /// Reads a last change of the data file, and writes the state into it.
  func stop(_ sync: DataFileSync<State>?) async {
    guard let sync else { return }
    // The calling thread waits if there are no resources for another one.
    do throws(Errno) { try await onOwnThread { sync.stop() } } catch { sync.stop() }
  }
}
