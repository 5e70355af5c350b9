package import BinderyJournal
import BinderySystem
package import BinderyTelemetry

/// The settings of a service that have defaults.
public struct ServiceConfiguration<Root: Sendable>: Sendable {
  /// The title in the OpenAPI document. The default is the name of the model's type.
  public var title = "\(Root.self)"
  /// The version of the interface, in the OpenAPI document.
  public var version = "0"
  /// The state from which the examples in the OpenAPI document are taken. The default is the state at the start.
  public var example: Root?
  /// The number of event loop threads; nil for one per core.
  public var eventLoops: Int?
  /// The path of the service's root on its host, such as `/menu` behind a proxy that forwards the requests below it
  /// with their complete path. The default is the root of the host.
  ///
  /// Its segments consist of `[A-Za-z0-9._~-]`. All URLs that the service sends contain it; files of a page should use
  /// relative URLs. `/livez` and `/readyz` also work without it.
  public var basePath = "/"
  /// The files of a web page, or other static content, at fixed paths outside `/state`.
  public var files: [WebFile] = []
  /// Endpoints of your program, at paths outside `/state`.
  public var endpoints: [Endpoint<Root>] = []
  /// Functions that each request passes after authentication, in order.
  public var middleware: [Middleware] = []
  /// The path of a folder whose files are served beside the state, also to clients without a token; nil for none.
  ///
  ///     service.folder = "Pages"
  ///
  /// `Pages/index.html` is at `/`, `Pages/help/index.html` at `/help/`, and `Pages/js/page.js` at `/js/page.js`. Each
  /// request opens the file, so changed files need no restart. The paths of the service and of ``files`` take
  /// precedence. Files and folders whose name begins with a dot or ends with `~`, symbolic links, and everything that
  /// is not a regular file are not served. The store must not be in the folder.
  public var folder: String?
  /// The maximum number of revisions in `GET /history`.
  public var historyRevisions: Int {
    get { retention.revisions }
    set { retention.revisions = max(0, newValue) }
  }
  /// The maximum age of revisions in `GET /history`, in days. Rounded up to whole days.
  public var historyAge: Duration {
    get { .seconds(retention.days * 86_400) }
    set {
      let age = newValue.bounded
      let days = age.components.seconds / 86_400
      retention.days = Int(days) + (age > .seconds(days * 86_400) ? 1 : 0)
    }
  }
  /// The maximum size of the stored revisions, in bytes.
  public var historyBytes: Int {
    get { retention.bytes }
    set { retention.bytes = max(0, newValue) }
  }
  /// The time to wait for another server to release the store.
  public var storeWait = Duration.zero
  /// Receives each log event, on any thread; it must not block. Nil for no log.
  ///
  /// With [swift-log](https://github.com/apple/swift-log):
  ///
  ///     import Logging
  ///
  ///     let logger = Logger(label: "counter")
  ///     service.log = { severity, message, metadata in
  ///       logger.log(
  ///         level: Logger.Level(rawValue: severity.rawValue) ?? .info, "\(message)",
  ///         metadata: Logger.Metadata(metadata.map { ($0, .string($1)) }, uniquingKeysWith: { $1 }))
  ///     }
  public var log: (@Sendable (_ level: LogSeverity, _ message: String, _ metadata: [(String, String)]) -> Void)?
  /// Whether each request is logged.
  public var logsRequests = false
  /// Receives the values of all metrics at each ``metricInterval``, while the service runs.
  ///
  /// With [swift-metrics](https://github.com/apple/swift-metrics), to which each value is a gauge:
  ///
  ///     import Metrics
  ///
  ///     service.metricHandler = { samples in
  ///       for sample in samples { Gauge(label: sample.name, dimensions: sample.labels).record(sample.value) }
  ///     }
  public var metricHandler: (@Sendable (_ samples: [MetricSample]) -> Void)?
  /// The interval between calls of ``metricHandler``.
  public var metricInterval = Duration.seconds(10)

  /// The logger of a command, which also has a minimum level and a format.
  package var logger: Logger?
  package var retention = Retention()
  /// The paths of files that must not be in ``folder``. An initializer of the service that has a store adds its files.
  package var privateFiles: [String] = []
  package var metrics: [@Sendable (inout Exposition) -> Void] = []

  /// Creates a configuration with the defaults.
  public init() {}

  /// The checked folder with files; nil if there is none.
  var webFolder: WebFolder? {
    get throws(ServiceError) {
      if let folder { try WebFolder(folder, withoutServing: privateFiles) } else { nil }
    }
  }

  /// Whether the service has a page of its own at `/`.
  var hasPage: Bool { files.contains { $0.path == "/" } || (try? webFolder)?.hasIndex == true }

  /// The number of event loops of a service with these settings.
  var effectiveEventLoops: Int { min(max(1, eventLoops ?? Process.processorCount), Self.maximumEventLoops) }

  /// The maximum number of event loops.
  static var maximumEventLoops: Int { 256 }

  /// The logger that events go to.
  var effectiveLogger: Logger {
    if let logger { return logger }
    guard let log else { return Logger(level: .error) { _, _, _ in } }
    return Logger(handler: log)
  }
}

/// The severity of a log event. The raw values are those of swift-log's levels.
public enum LogSeverity: String, Sendable, CaseIterable {
  /// Details for finding the cause of a problem.
  case debug
  /// A normal event.
  case info
  /// A condition that needs attention; the service works.
  case warning
  /// A failure.
  case error
}

/// The value of one metric, as in `/metrics`. A histogram has one sample per bucket, its sum and its count.
public struct MetricSample: Sendable {
  /// The name, such as `bindery_commits_total`.
  public let name: String
  /// The labels, such as `("method", "GET")`.
  public let labels: [(String, String)]
  /// The value, in the unit that the name ends with.
  public let value: Double
}

extension Logger {
  /// Creates a logger that calls a handler.
  init(
    handler: @escaping @Sendable (LogSeverity, String, [(String, String)]) -> Void, level: LogLevel = .debug
  ) {
    self.init(level: level) { level, message, fields in
      handler(LogSeverity(rawValue: level.rawValue) ?? .info, message, fields.map(\.text))
    }
  }
}
