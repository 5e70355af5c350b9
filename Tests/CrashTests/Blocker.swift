import Foundation

/// Another program that holds a database locked: the `sqlite3` library through Python would do, a child of our own is
/// surer.
final class Blocker {}
