import BinderyPostgreSQL
import Testing

struct AddressTests {
  @Test(arguments: [
    "postgres://bindery:secret@db.example.com/bindery", "postgres://db.example.com/bindery?password=secret",
    "postgresql://bindery:se/cret@db.example.com", "postgres://a:secret@[::1]:99999999/x",
  ])
  func `a password in the URL is refused and not repeated`(_ url: String) throws {
    do throws(InvalidPostgreSQLAddress) {
      _ = try PostgreSQLAddress(url)
      Issue.record("\(url) was accepted")
    } catch {
      #expect(error.description.contains("passfile"))
      #expect(!error.description.contains("secret"))
    }
  }

  @Test func `a sign of an address in the query of the URL is no password`() throws {
    _ = try PostgreSQLAddress("postgres://localhost:5432/bindery?application_name=a@b")
  }

  @Test(arguments: ["require", "prefer", "disable", "verify-ca"])
  func `another machine must prove its name`(_ mode: String) {
    #expect(throws: InvalidPostgreSQLAddress.self) {
      try PostgreSQLAddress("postgres://bindery@db.example.com/bindery?sslmode=\(mode)")
    }
    #expect(throws: InvalidPostgreSQLAddress.self) {
      try PostgreSQLAddress("postgres://bindery@localhost,db.example.com/bindery?sslmode=\(mode)")
    }
  }

  @Test(arguments: [
    ("postgres:///bindery?sslmode=require", ["host": "db.example.com"]),
    ("postgres://localhost/bindery?sslmode=require", ["hostaddr": "192.0.2.1"]),
    ("postgres://127.0.0.1,/bindery?hostaddr=127.0.0.1,192.0.2.1&sslmode=require", [:]),
    ("postgres:///bindery?sslmode=disable", ["host": "localhost,db.example.com"]),
    ("postgres:///bindery?service=other", [:]),
  ])
  func `a machine that the environment or an option names must prove its name, too`(
    _ url: String, _ defaults: [String: String]
  ) throws {
    #expect(throws: InvalidPostgreSQLAddress.self) { try PostgreSQLAddress(url, defaults: defaults) }
  }

  @Test func `a host in the environment is used, with its certificate checked`() throws {
    #expect(
      try PostgreSQLAddress("postgres:///bindery", defaults: ["host": "a,,b", "port": "1,2,3"]).parameters.map {
        parameters in try PostgreSQLAddress.parse(parameters).filter { ["host", "port", "sslmode"].contains($0.key) }
      } == [
        ["host": "a", "port": "1", "sslmode": "verify-full"], ["host": "", "port": "2", "sslmode": "verify-full"],
        ["host": "b", "port": "3", "sslmode": "verify-full"],
      ])
  }

  @Test(arguments: [
    "postgres://bindery@db.example.com/bindery", "postgres://bindery@db.example.com/bindery?sslmode=verify-full",
    "postgres://bindery@127.0.0.1:5432/bindery", "postgres://bindery@[::1]/bindery?sslmode=disable",
    "postgres:///bindery?host=/run/postgresql", "postgresql://bindery@localhost/bindery",
  ])
  func `certificates are checked except on this machine`(_ url: String) throws {
    #expect(try PostgreSQLAddress(url).url == url)
  }

  @Test func `a malformed URL is refused with the expected form`() {
    do throws(InvalidPostgreSQLAddress) {
      _ = try PostgreSQLAddress("postgres://db.example.com/bindery?sslmod=x")
      Issue.record("the URL was accepted")
    } catch { #expect(error.description.hasPrefix("expected postgres://USER@HOST:PORT/DATABASE: ")) }
  }
}
