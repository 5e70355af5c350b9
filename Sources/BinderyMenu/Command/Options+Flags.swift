import BinderyAPI
import BinderyJournal
import BinderySystem

extension Options {
  /// All flags, in the order in which the help shows them.
  static let flags: [Flag] = [
    .list(
      .listening, "--listen", "ADDRESS", \.listen, "127.0.0.1:8080, [::1]:8080, :8080 for all, unix:/path",
      isUsable: { SocketAddress($0) != nil }),
    .number(.listening, "--threads", \.threads, in: 1...256, "event loops; one per core by default"),

    .file(.access, "--token-file", \.tokenFile, "tokens to read and write with, one a line"),
    .file(.access, "--read-token-file", \.readTokenFile, "tokens to read with"),
    .toggle(.access, "--no-auth", \.admitsAll, "everybody may read and write, also from elsewhere"),
    .duration(
      .access, "--session-time", \.sessionTime, in: 60_000...365 * 86_400_000,
      "how long a browser stays signed in: 12h"),
    .list(
      .access, "--allow-origin", "ORIGIN", \.allowedOrigins, "whose pages may ask from a browser: https://menu.example",
      isUsable: { Origins.normalized($0) != nil }),
    .list(
      .access, "--allow-host", "NAME", \.allowedHosts, "a name that the server may be called by, beside localhost",
      isUsable: HostNames.isName),
    .toggle(.access, "--behind-tls", \.isBehindTLS, "browsers come over TLS, which a proxy speaks: Secure cookies"),

    .text(.store, "--store", "FILE", \.store, "a file, or memory"),
    .duration(
      .store, "--store-wait", \.storeTime, in: 0...86_400_000,
      "how long to wait for another server to let go of it: 30s"
    ),
    .number(
      .store, "--history-revisions", \.retention.revisions, in: 0...100_000_000,
      "how many GET /history tells of at most"),
    .number(.store, "--history-days", \.retention.days, in: 0...36_500, "how old the oldest of them may be"),

    .zone(.menu, "--time-zone", \.timeZone, "where the restaurant is: Europe/Rome; by default TZ, then UTC"),

    .choice(.log, "--log-format", \.logFormat, "how a line is written"),
    .choice(.log, "--log-level", \.logLevel, "what matters less is left out"),
    .toggle(.log, "--access-log", \.logsRequests, "a line for each request"),

    .toggle(.other, "--check", \.checksOnly, "serve: say whether all of this is right, and end"),
  ]

  /// What is in effect, in one line. None of it is secret: tokens stand in files.
  package var summary: String {
    Self.flags.compactMap { flag in
      flag.show(self).map { "\(flag.name.dropFirst(2))=\(Self.quoted($0))" }
    }.joined(separator: " ")
  }

  private static func quoted(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" }
    return isPlain && !text.isEmpty ? text : text.debugDescription
  }
}
