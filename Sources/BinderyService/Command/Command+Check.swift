import BinderySystem

extension Command {
  /// Validates the configuration of a server without starting it or changing any file.
  func check(_ options: Options, _ environment: [String: String]) throws(CommandError) {
    let tokenReloader = try TokenReloader(options)
    try options.checkSync()
    for text in options.listen {
      if let address = SocketAddress(text) { try checkAddress(address) }
    }
    var effective = options
    var changes: [String] = []
    do {
      let names = options.program.options.filter(\.isStored).map(\.storedName)
      let opening = StoreOpening<State>(model: model, options: names) { stored in
        let launch = try Launch(options, environment: environment, stored: stored.options, clock: stored.clock)
        let service = try configuration(options, launch)
        _ = try (WebFile.documents(service.files), service.webFolder)
        effective.values = launch.values
        effective.threads = service.effectiveEventLoops
        return StoreOpening.Plan(
          of: model, options: launch.stored, retention: service.retention, logger: service.effectiveLogger,
          replacesState: options.reseeds, initial: { try main.makeInitial(launch) })
      }
      changes = try options.driver.check(opening)
      try main.source?.checkCanWrite()
    } catch {
      let failure = CommandError(error)
      throw CommandError(.configuration, failure.message, isMisfit: failure.isMisfit)
    }
    let report = main.source?.report(isWritten: false) ?? []
    for line in report.map(\.message) + tokenReloader.warnings { StandardError.print("\(name): \(line)") }
    let results =
      changes + ["configuration: \(effective.summary)", "the configuration is valid, and the store can be opened"]
    try write(results.joined(separator: "\n") + "\n")
  }

  /// Checks that the address belongs to this machine.
  ///
  /// The port is not checked, because the server that is about to be replaced may still use it.
  private func checkAddress(_ address: SocketAddress) throws(CommandError) {
    switch address {
    case .internet:
      do throws(Errno) {
        _ = try Listener(address: address.with(port: 0))
      } catch { throw CommandError(.configuration, "\(address): \(error)") }
    case .unix(let path): try checkDirectory(of: path)
    }
  }

  private func checkDirectory(of path: String) throws(CommandError) {
    let directory = File.directory(of: path)
    guard FileStatus(directory)?.isDirectory == true else {
      throw CommandError(.configuration, "\(path): the directory \(directory) does not exist")
    }
  }
}
