import BinderyCore
import BinderySystem
import BinderyTelemetry
import Synchronization

extension Service {
  /// Serves requests until the task is cancelled, ``stop()`` is called, or a signal arrives.
  ///
  /// It works on threads of its own and blocks neither the caller's actor nor the threads of the concurrency pool.
  /// After all requests in flight have ended, at most 8 seconds later, it stores all commits, closes the store, and
  /// returns. A service runs once; commits that begin later fail, except in a store in memory.
  ///
  ///     try await withThrowingTaskGroup { group in
  ///       group.addTask { try await service.run() }
  ///       // Ends when the service has stopped.
  ///       group.addTask { for await title in service.store.values(at: title) { … } }
  ///       try await group.waitForAll()
  ///     }
  ///
  /// With [ServiceLifecycle](https://github.com/swift-server/swift-service-lifecycle), run it in a `ServiceGroup` that
  /// handles the signals:
  ///
  ///     import ServiceLifecycle
  ///
  ///     struct StateService: ServiceLifecycle.Service {
  ///       let service: Bindery.Service<CounterState>
  ///
  ///       func run() async throws {
  ///         try await withGracefulShutdownHandler {
  ///           try await service.run(handlesSignals: false)
  ///         } onGracefulShutdown: {
  ///           service.stop()
  ///         }
  ///       }
  ///     }
  ///
  ///     let group = ServiceGroup(
  ///       services: [StateService(service: service)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
  ///     try await group.run()
  ///
  /// - Parameter handlesSignals: Whether SIGTERM and SIGINT stop the service gracefully.
  /// - Throws: ``ServiceError``.
  public func run(handlesSignals: Bool = true) async throws(ServiceError) {
    // Before anything that ends a run: a second call must not affect the first.
    guard !wasStarted.exchange(true, ordering: .relaxed) else { throw .alreadyStarted }
    let watcher: SignalWatcher?
    do throws(Errno) {
      watcher = handlesSignals ? try SignalWatcher([.terminate, .interrupt]) { [weak self] _ in self?.stop() } : nil
    } catch { throw .noResources("\(error)") }
    defer { watcher?.cancel() }
    let result: Result<Void, ServiceError>
    do throws(ServiceError) {
      try await serve()
      result = .success(())
    } catch { result = .failure(error) }
    await close()
    try result.get()
  }

  /// Serves requests like ``run(handlesSignals:)``, but leaves the store open.
  func serve() async throws(ServiceError) {
    let sampling = sampleMetrics()
    defer { sampling?.cancel() }
    let result: Result<Void, ServiceError> = await withTaskCancellationHandler {
      do throws(Errno) {
        return try await onOwnThread { [self] in Result { () throws(ServiceError) in try runBlocking() } }
      } catch { return .failure(.noResources("\(error)")) }
    } onCancel: {
      stop()
    }
    try result.get()
  }

  /// Stores all commits and closes the store.
  func close() async {
    // The calling thread closes the store if there are no resources for another one.
    do throws(Errno) { try await onOwnThread { [closeStore] in closeStore() } } catch { closeStore() }
    store.close()
  }

  /// Begins to call the metric handler, if there is one.
  private func sampleMetrics() -> Task<Void, Never>? {
    guard let handler = metricHandler else { return nil }
    return Task { [metricInterval, weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: metricInterval)
        guard !Task.isCancelled, let self else { return }
        handler(metrics)
      }
    }
  }

  /// The values of all metrics, as in `/metrics`.
  public var metrics: [MetricSample] {
    collectMetrics().samples.map { MetricSample(name: $0.name, labels: $0.labels, value: $0.value) }
  }
}
