import CBinderyPostgreSQL

/// The address of a database, from a URL such as `postgres://bindery@db.example.com/bindery`.
package struct PostgreSQLAddress: Sendable {
  /// The URL, which contains no secret.
  package let url: String
  /// The connection strings for libpq, one for each host. libpq would not give up the first of several hosts that does
  /// not respond.
  package let parameters: [String]

  /// Parses a URL.
  ///
  /// - Parameter defaults: What libpq takes for options that are not in the URL: environment variables such as
  ///   `PGHOST`, and the service that `PGSERVICE` names.
  /// - Throws: A message without any part of the URL that could be a password.
  package init(
    _ url: String, defaults: [String: String] = PostgreSQLAddress.defaults
  ) throws(InvalidPostgreSQLAddress) {
    guard !Self.hasPassword(url) else {
      throw InvalidPostgreSQLAddress(
        """
        a password in --store would be visible to other users of this machine: leave it out, and put it in a password \
        file, named with ?passfile=/path or the environment variable PGPASSFILE, with the line HOST:PORT:DATABASE:USER:\
        PASSWORD
        """)
    }
    var options = try Self.parse(url)
    guard options["service"] == nil else {
      throw InvalidPostgreSQLAddress(
        "service in --store is not supported, because the service could name another server: expected "
          + "postgres://USER@HOST:PORT/DATABASE")
    }
    // An empty option, unlike a missing one, is not replaced by a default: the host that is checked here is the one to
    // which libpq connects.
    for name in Self.hostOptions { options[name] = options[name] ?? defaults[name] ?? "" }
    let hosts = Self.hosts(options)
    if !hosts.allSatisfy(Self.isLocal) {
      let mode = options["sslmode"] ?? "verify-full"
      guard mode == "verify-full" else {
        throw InvalidPostgreSQLAddress(
          "sslmode=\(mode) does not check the server's certificate and name: expected sslmode=verify-full, except for "
            + "a server on this machine")
      }
      options["sslmode"] = mode
      // The certificate also protects the exchange of the password (RFC 5929).
      options["channel_binding"] = options["channel_binding"] ?? "require"
    }
    options["application_name"] = options["application_name"] ?? Self.applicationName
    options["target_session_attrs"] = "read-write"
    options["tcp_user_timeout"] = options["tcp_user_timeout"] ?? "5000"
    self.url = url
    parameters = hosts.indices.map { Self.connectionString(options, host: $0) }
  }

  /// The options that may list several hosts.
  private static let hostOptions = ["host", "hostaddr", "port"]

  /// Returns the address or the name of each host. An empty one is the server's Unix socket.
  private static func hosts(_ options: [String: String]) -> [String] {
    let names = items(options["host"])
    let addresses = items(options["hostaddr"])
    return (0..<max(names.count, addresses.count)).map { index in
      if index < addresses.count, !addresses[index].isEmpty { return addresses[index] }
      return index < names.count ? names[index] : ""
    }
  }

  private static func items(_ list: String?) -> [String] {
    (list ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the connection string for one of the hosts.
  private static func connectionString(_ options: [String: String], host: Int) -> String {
    var options = options
    for name in hostOptions {
      let items = items(options[name])
      // A single port is that of all hosts.
      if items.count > host { options[name] = items[host] }
    }
    return options.sorted { $0.key < $1.key }.map { "\($0.key)=\(quoted($0.value))" }.joined(separator: " ")
  }

  /// The name by which the server lists the connections of this program.
  static let applicationName = "bindery"

  /// Returns whether a text is a URL of a PostgreSQL database.
  package static func isURL(_ text: String) -> Bool {
    text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  }

  private static func hasPassword(_ url: String) -> Bool {
    guard let scheme = url.firstRange(of: "://") else { return false }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { $0 != "?" }
    let hasUserPassword = authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
    let query = rest[authority.endIndex...]
    return hasUserPassword || query.contains("password=")
  }

  private static func isLocal(_ host: String) -> Bool {
    host.isEmpty || host.hasPrefix("/") || host == "localhost" || host == "::1"
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }

  private static func quoted(_ value: String) -> String {
    var quoted = "'"
    for character in value {
      if character == "'" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "'"
  }

  /// The options that libpq takes from the environment, and its own defaults.
  package static var defaults: [String: String] {
    guard let options = unsafe PQconndefaults() else { return [:] }
    defer { unsafe PQconninfoFree(options) }
    return unsafe values(options)
  }

  /// Returns the options in a URL or a connection string.
  package static func parse(_ url: String) throws(InvalidPostgreSQLAddress) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = unsafe PQconninfoParse(url, &message) else {
      let reason = unsafe message.map { unsafe String(cString: $0) } ?? "out of memory"
      unsafe PQfreemem(message)
      let line = reason.split(separator: "\n").joined(separator: " ")
      throw InvalidPostgreSQLAddress("expected postgres://USER@HOST:PORT/DATABASE: \(line)")
    }
    defer { unsafe PQconninfoFree(options) }
    return unsafe values(options)
  }

  /// Returns the options that have a value.
  private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
    var values: [String: String] = [:]
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val { unsafe values[String(cString: keyword)] = String(cString: value) }
      unsafe option += 1
    }
    return values
  }
}

/// The reason why a URL of a database cannot be used.
package struct InvalidPostgreSQLAddress: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
