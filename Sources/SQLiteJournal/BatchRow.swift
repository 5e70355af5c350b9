import State

/// Revisions that follow each other, as one row holds them: most of what a transaction costs is paid for each row, and
/// so is not paid for each writer.
///
/// Each revision is a line of the time, the patch and its undo, and where people see others, those two as well, parted
/// by tabs. Canonical JSON has neither tabs nor line ends: in strings they are escaped (RFC 8259 §7).
struct BatchRow {
  /// How many bytes fill a row: with more, what changes little would be read to find out little.
  static let fullBytes = 64 * 1024

  let first: Int
  private(set) var last: Int
  /// When the last of them was kept.
  private(set) var at: Int64
  private(set) var lines: [UInt8] = []

  private init(from first: Int) {
    self.first = first
    last = first - 1
    at = 0
  }

  /// The rows for revisions, each as full as it may be; what does not follow begins another.
  static func rows(of revisions: [Revision]) -> [BatchRow] {
    var rows: [BatchRow] = []
    var time: (value: Int64, text: [UInt8]) = (0, Array("0".utf8))
    for revision in revisions {
      // All of a batch are kept at the same time.
      if time.value != revision.at { time = (revision.at, Array(String(revision.at).utf8)) }
      let end = rows.endIndex - 1
      if end < 0 || rows[end].lines.count >= fullBytes || rows[end].last + 1 != revision.number {
        rows.append(BatchRow(from: revision.number))
      }
      rows[rows.endIndex - 1].add(revision, time.text)
    }
    return rows
  }

  private mutating func add(_ revision: Revision, _ time: [UInt8]) {
    last = revision.number
    at = revision.at
    lines.append(contentsOf: time)
    add(revision.patch)
    add(revision.undo)
    if let shown = revision.shown {
      add(shown.patch)
      add(shown.undo)
    }
    lines.append(Self.lineEnd)
  }

  private mutating func add(_ text: [UInt8]) {
    lines.append(Self.tab)
    lines.append(contentsOf: text)
  }

  fileprivate static let tab = UInt8(ascii: "\t")
  private static let lineEnd = UInt8(ascii: "\n")
}

extension BatchRow {
  /// The row's columns, in their order.
  var values: [SQLiteValue] { [.integer(last), .integer(first), .integer(Int(at)), .text(lines)] }

  /// What reads such columns.
  static let query = "SELECT last, first, at, lines, checksum FROM batch"

  /// The revisions of the row of such a query.
  ///
  /// - Throws: `damaged` where it is not as it was written.
  static func revisions(of row: Statement) throws(SQLiteError) -> [Revision] {
    let (last, first) = (row.integer(0), row.integer(1))
    let damage = SQLiteError.damaged(first == last ? "revision \(last)" : "one of the revisions \(first) to \(last)")
    guard row.isWhole(Table.batch.width), let lines = row.bytes(3) else { throw damage }
    var revisions: [Revision] = []
    for line in lines.split(separator: lineEnd) {
      guard let revision = Revision(line, first &+ revisions.count) else { throw damage }
      revisions.append(revision)
    }
    guard revisions.last?.number == last else { throw damage }
    return revisions
  }
}

extension Revision {
  /// Nil where it is no such line.
  fileprivate init?(_ line: ArraySlice<UInt8>, _ number: Int) {
    let fields = line.split(separator: BatchRow.tab, omittingEmptySubsequences: false)
    guard fields.count == 3 || fields.count == 5, let at = Int64(String(decoding: fields[0], as: UTF8.self)) else {
      return nil
    }
    self.init(
      number: number, at: at, patch: Array(fields[1]), undo: Array(fields[2]),
      shown: fields.count == 5 ? Shown(patch: Array(fields[3]), undo: Array(fields[4])) : nil)
  }
}
