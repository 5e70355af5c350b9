import BinderySystem

/// The password file of libpq (https://www.postgresql.org/docs/current/libpq-pgpass.html).
enum PasswordFile {
  /// Checks that only the owner of the password file may use it. libpq ignores another one, prints a line for each
  /// attempt to connect, and reports that there is no password.
  ///
  /// - Parameter parameters: The connection string.
  static func check(_ parameters: String) throws(PostgreSQLError) {
    // This password takes precedence.
    guard Process.environmentVariable("PGPASSWORD") == nil else { return }
    guard let path = path(parameters), let status = FileStatus(path), status.isRegular, status.mode & 0o077 != 0
    else { return }
    throw .unusable(
      "the password file \(path) is ignored, because its group or other users have access to it: run chmod 600 \(path)")
  }

  /// Returns why libpq found no password, and what to do.
  ///
  /// - Parameter parameters: The connection string.
  static func absence(_ parameters: String) -> String {
    guard let path = path(parameters) else { return "there is no password file: name one with ?passfile=/path" }
    do throws(Errno) { try File.checkIsReadable(path) } catch .noSuchFile {
      return "the password file \(path) does not exist"
    } catch { return "the password file \(path) cannot be read: \(error)" }
    return "the password file \(path) has no line HOST:PORT:DATABASE:USER:PASSWORD for this server, database and user"
  }

  private static func path(_ parameters: String) -> String? {
    (try? PostgreSQLAddress.parse(parameters))?["passfile"] ?? Process.environmentVariable("PGPASSFILE")
      ?? Process.environmentVariable("HOME").map { $0 + "/.pgpass" }
  }
}
