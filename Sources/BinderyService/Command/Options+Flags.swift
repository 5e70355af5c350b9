import BinderyAPI
import BinderyJournal
import BinderySystem

extension Program {
  /// All flags, in the order of the help.
  var flags: [Flag] { serviceFlags + modelFlags + options.map(Flag.program) + otherFlags }

  /// A mistake in the declaration of the program's own options; nil if there is none.
  ///
  /// An option that shares its name or its variable would be ignored, or receive the value of the other one.
  package var optionMistake: String? {
    let builtIn = (serviceFlags + modelFlags + otherFlags).map(\.name) + ["--help"] + Help.typesForms
    var taken = Dictionary(uniqueKeysWithValues: builtIn.map { (variable(of: $0), $0) })
    for name in options.map(\.name) {
      guard name.hasPrefix("--"), name.count > 2, !name.contains("=") else {
        return "the program cannot have an option “\(name)”: expected a name such as --time-zone"
      }
      guard let other = taken.updateValue(name, forKey: variable(of: name)) else { continue }
      if other != name {
        return "the options \(other) and \(name) have the same variable \(variable(of: name)): rename one of them"
      }
      return builtIn.contains(name)
        ? "the program cannot have an option \(name), which is one of the service: rename it"
        : "the program has two options \(name): rename one of them"
    }
    return nil
  }

  private var serviceFlags: [Flag] {
    [
      .list(
        .listening, "--listen", "ADDRESS", \.listen, "Listen on IP:port, localhost:port, :port (all) or unix:/path.",
        expected: "an IP address or localhost with a port, such as 127.0.0.1:8080 or [::1]:8080, or else :8080 or "
          + "unix:/path",
        isValid: { SocketAddress($0) != nil }
      )
      .suggested(for: "--port", "--host", "--bind", "--address"),
      .text(
        .listening, "--base-path", "PATH", \.basePath,
        "Serve below this path, such as /menu. A proxy must pass on the complete path.",
        check: { text throws(UsageError) in
          guard BasePath(text) == nil else { return }
          throw UsageError(
            "expected segments of letters, digits and ._~- that begin with a slash, such as /menu, for --base-path, "
              + "got “\(text)”")
        }),
      .number(
        .listening, "--threads", \.threads, in: 1...256, "Number of event loop threads. The default is one per core."),

      .optional(
        .authentication, "--token-file", "FILE", \.tokenFile, "File of tokens that may read and write, one per line."),
      .optional(
        .authentication, "--read-token-file", "FILE", \.readTokenFile, "File of read-only tokens, one per line."),
      .toggle(
        .authentication, "--no-auth", \.isAuthenticationDisabled,
        "Require no token. Clients that use a host name other than localhost then need --allow-host."),
      .duration(
        .authentication, "--session-time", \.sessionTime, in: 60_000...365 * 86_400_000,
        "Lifetime of a browser session."),
      .list(
        .authentication, "--allow-origin", "ORIGIN", \.allowedOrigins,
        "Allow browser requests from pages of this origin, such as https://menu.example.",
        expected: "an origin such as https://menu.example", isValid: { Origins.normalized($0) != nil }),
      .list(
        .authentication, "--allow-host", "NAME", \.allowedHosts,
        "Accept only this name, IP addresses and localhost in the Host header.",
        expected: "a host name without a port, such as menu.example", isValid: HostNames.isName),
      .toggle(
        .authentication, "--behind-tls", \.isBehindTLS,
        "Set the Secure attribute of session cookies. Use it behind a proxy that terminates TLS."),

      .text(
        .storage, "--store", "FILE", \.store, stores.map(\.usage).joined(separator: ", or ") + ".",
        check: { text throws(UsageError) in _ = try driver(at: text) }
      )
      .suggested(for: "--db", "--database", "--data"),
      .duration(
        .storage, "--store-wait", \.storeWaitTime, in: 0...86_400_000,
        "Time to wait until another server closes the file. No effect with PostgreSQL."),
      .number(
        .storage, "--history-revisions", \.retention.revisions, in: 0...100_000_000,
        "Maximum number of revisions in GET /history."),
      .number(
        .storage, "--history-days", \.retention.days, in: 0...36_500,
        "Maximum age of revisions in GET /history, in days."),
      .number(
        .storage, "--history-bytes", \.retention.bytes, in: 0...(1 << 50),
        "Maximum size of the stored revisions, in bytes."),

      .optional(
        .pages, "--www", "DIR", \.www,
        "Serve the files in this folder, without a token, instead of the program's page."),
    ]
  }

  private var modelFlags: [Flag] {
    guard servesModelFiles else { return [] }
    return [
      .optional(
        .model, "--model", "FILE", \.model,
        "Serve the model in this file (JSON Schema). The default store is beside it."),
      .optional(
        .model, "--from", "FILE", \.from,
        "Serve the JSON data in this file: infer its model, and write that beside it."),
      .toggle(.model, "--open", \.isOpen, "Infer objects that also accept unknown members, as any JSON value."),
      .toggle(
        .model, "--sync", \.syncs,
        "Synchronize the file of --from with the store: write commits to it, read its changes."),
      .toggle(
        .model, "--reseed", \.reseeds,
        "Replace the state of an existing store by the data of --from, as one revision."),
    ]
  }

  private var otherFlags: [Flag] {
    [
      .choice(.logging, "--log-format", \.logFormat, "Format of log lines"),
      .choice(.logging, "--log-level", \.logLevel, "Minimum severity of log lines"),
      .toggle(.logging, "--access-log", \.logsRequests, "Log one line per request."),

      .toggle(.other, "--check", \.checksOnly, "With serve: validate the configuration and exit."),
    ]
  }
}

extension Options {
  /// The effective options on one line. It contains no secrets, because tokens are in files.
  package var summary: String {
    program.flags.compactMap { flag in
      flag.format(self).map { "\(flag.name.dropFirst(2))=\(Self.quoted($0))" }
    }.joined(separator: " ")
  }

  private static func quoted(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" }
    return isPlain && !text.isEmpty ? text : text.debugDescription
  }
}
