package import BinderyJournal
package import BinderyTelemetry

/// What the command line and the environment say; ``flags`` is the table of all that they can.
package struct Options: Sendable, Equatable {
  package var listen = ["127.0.0.1:8080"]
  /// 0 for one per core.
  package var threads = 0

  /// The files of tokens for reading and writing, and for reading.
  package var tokenFile: String?
  package var readTokenFile: String?
  /// Everybody may read and write, also from elsewhere.
  package var admitsAll = false
  package var sessionTime = Duration.days(7)
  package var allowedOrigins: [String] = []
  package var allowedHosts: [String] = []
  package var isBehindTLS = false

  /// A file, or `memory`.
  package var store = "bindery.db"
  /// How long to wait for another server to end that has the file.
  package var storeTime = Duration(milliseconds: 0)
  package var retention = Retention()

  /// nil where the command line does not say: that of the store, or else the default.
  package var timeZone: String?
  package var defaultTimeZone = "UTC"

  package var logFormat = LogFormat.text
  package var logLevel = LogLevel.info
  /// Each request has a line of its own in the log.
  package var logsRequests = false

  /// Say whether all this is right, and do no more.
  package var checksOnly = false
  /// What is no flag: the files that some commands take.
  package var operands: [String] = []

  /// What holds where nobody says anything.
  package init() {}

  /// How long to wait for another server to end that has the file, in milliseconds.
  package var storeWait: Int64 { storeTime.milliseconds }
}

/// A command line that makes no sense, or a variable.
package struct UsageError: Error, Hashable, Sendable {
  package let message: String
  /// It is the environment that is wrong.
  package let isOfEnvironment: Bool

  init(_ message: String, isOfEnvironment: Bool = false) {
    self.message = message
    self.isOfEnvironment = isOfEnvironment
  }
}
