import State

/// Revisions that follow each other, as one row holds them: most of what a transaction costs is paid for each row, and
/// so is not paid for each writer.
///
/// Each revision has a line of numbers, its time and how many bytes its texts have, and then a line for each text: the
/// patch, its undo, and where people see others, those two as well.
struct BatchRow {
  /// With how many bytes a row is full: to find one revision, all of its row is read.
  static let fullBytes = 64 * 1024

  let first: Int
  private(set) var last: Int
  /// When the last of them was kept.
  private(set) var at: Int64
  private(set) var lines: [UInt8] = []

  private init(from first: Int) {
    self.first = first
    last = first &- 1
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
      if end < 0 || rows[end].lines.count >= fullBytes || rows[end].last &+ 1 != revision.number {
        rows.append(BatchRow(from: revision.number))
      }
      rows[rows.endIndex - 1].add(revision, time.text)
    }
    return rows
  }

  private mutating func add(_ revision: Revision, _ time: [UInt8]) {
    last = revision.number
    at = revision.at
    let texts = revision.texts
    lines.append(contentsOf: time)
    for text in texts {
      lines.append(Self.space)
      lines.append(contentsOf: String(text.count).utf8)
    }
    for text in texts {
      lines.append(Self.lineEnd)
      lines.append(contentsOf: text)
    }
    lines.append(Self.lineEnd)
  }

  private static let space = UInt8(ascii: " ")
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
    func damage() -> SQLiteError {
      .damaged(first == last ? "revision \(last)" : "one of the revisions \(first) to \(last)")
    }
    guard row.isWhole(Table.batch.width), let lines = row.bytes(3) else { throw damage() }
    var revisions: [Revision] = []
    var rest = lines[...]
    while !rest.isEmpty {
      guard let revision = takeRevision(first &+ revisions.count, from: &rest) else { throw damage() }
      revisions.append(revision)
    }
    guard revisions.last?.number == last else { throw damage() }
    return revisions
  }

  /// Takes a revision from where it begins; nil where there is none.
  private static func takeRevision(_ number: Int, from lines: inout ArraySlice<UInt8>) -> Revision? {
    guard let end = lines.firstIndex(of: lineEnd) else { return nil }
    let numbers = lines[..<end].split(separator: space).map { Int(String(decoding: $0, as: UTF8.self)) }
    lines = lines[(end + 1)...]
    guard numbers.count == 3 || numbers.count == 5, let at = numbers[0] else { return nil }
    var texts: [[UInt8]] = []
    for length in numbers.dropFirst() {
      guard let length, length >= 0 else { return nil }
      texts.append(Array(lines.prefix(length)))
      lines = lines.dropFirst(length)
      guard lines.popFirst() == lineEnd else { return nil }
    }
    return Revision(
      number: number, at: Int64(at), patch: texts[0], undo: texts[1],
      shown: texts.count == 4 ? Revision.Shown(patch: texts[2], undo: texts[3]) : nil)
  }
}

extension Revision {
  /// The two as they are kept, and the two as people see them where those are others.
  fileprivate var texts: [[UInt8]] {
    guard let shown else { return [patch, undo] }
    return [patch, undo, shown.patch, shown.undo]
  }
}
