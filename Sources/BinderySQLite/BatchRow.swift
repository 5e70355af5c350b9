import BinderyCore
import BinderyJSON

/// Revisions that follow each other, as one row holds them: most of what a transaction costs is paid for each row, and
/// so is not paid for each writer.
///
/// Each revision has a line of numbers, its time and how many bytes its texts have, and then a line for each text: of a
/// scalar where it stands, what it became and what it was (three texts); else the patch and its undo (two), and where
/// people see others, those as well (four).
struct BatchRow {
  /// With how many bytes a row is full: to find one revision, all of its row is read.
  static let fullBytes = 64 * 1024
  /// How many bytes a revision takes, as far as room is made before it is known.
  private static let usualBytes = 128

  let first: Int
  private(set) var last: Int
  /// When the last of them was kept.
  private(set) var at: Int64
  private(set) var lines: [UInt8] = []

  private init(from first: Int, for count: Int) {
    self.first = first
    last = first &- 1
    at = 0
    lines.reserveCapacity(min(count * Self.usualBytes, Self.fullBytes))
  }

  /// The rows for revisions, each as full as it may be; what does not follow begins another.
  static func rows(of revisions: [Revision]) -> [BatchRow] {
    var rows: [BatchRow] = []
    for (index, revision) in revisions.enumerated() {
      let end = rows.endIndex - 1
      if end < 0 || rows[end].lines.count >= fullBytes || rows[end].last &+ 1 != revision.number {
        rows.append(BatchRow(from: revision.number, for: revisions.count - index))
      }
      rows[rows.endIndex - 1].add(revision)
    }
    return rows
  }

  private mutating func add(_ revision: Revision) {
    last = revision.number
    at = revision.at
    switch revision.content {
    case .scalar(let change): add(revision.at, [change.path, change.after, change.before])
    case .patches(let patch, let undo, nil): add(revision.at, [patch, undo])
    case .patches(let patch, let undo, let shown?): add(revision.at, [patch, undo, shown.patch, shown.undo])
    }
  }

  private mutating func add<let count: Int>(_ time: Int64, _ texts: [count of [UInt8]]) {
    if time < 0 { lines.append(UInt8(ascii: "-")) }
    lines.append(decimal: time.magnitude)
    for index in texts.indices {
      lines.append(Self.space)
      lines.append(decimal: UInt64(texts[index].count))
    }
    for index in texts.indices {
      lines.append(Self.lineEnd)
      lines.append(contentsOf: texts[index])
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
  static func revisions(of row: SQLiteStatement) throws(SQLiteError) -> [Revision] {
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
    guard (3...5).contains(numbers.count), let at = numbers[0] else { return nil }
    var texts: [[UInt8]] = []
    for length in numbers.dropFirst() {
      guard let length, length >= 0 else { return nil }
      texts.append(Array(lines.prefix(length)))
      lines = lines.dropFirst(length)
      guard lines.popFirst() == lineEnd else { return nil }
    }
    let content: Revision.Content =
      switch texts.count {
      case 2: .patches(patch: texts[0], undo: texts[1], shown: nil)
      case 3: .scalar(ScalarChange(at: texts[0], before: texts[2], after: texts[1]))
      default: .patches(patch: texts[0], undo: texts[1], shown: Revision.Shown(patch: texts[2], undo: texts[3]))
      }
    return Revision(number: number, at: Int64(at), content)
  }
}
