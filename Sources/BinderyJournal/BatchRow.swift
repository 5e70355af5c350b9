package import BinderyCore
import BinderyJSON
import BinderyText

/// Consecutive revisions in one row of a database.
///
/// Most of the cost of a transaction is paid per row, so the revisions that are committed together share one. The
/// `patches` column holds, for each revision, a line of decimal numbers (its time, then the byte length of each text)
/// followed by one line per text: the author, patch and undo, their paths with positions (empty if no path has an
/// element), and also the patch and undo as clients see them, if they differ.
package struct BatchRow: Sendable {
  /// The size in bytes at which a row is full. Reading one revision reads its whole row.
  package static let fullBytes = 64 * 1024
  /// The expected size of one revision in bytes, used to reserve capacity.
  private static let typicalRevisionBytes = 128

  package let first: Int
  package private(set) var last: Int
  /// The time of the last revision, in milliseconds since 1970.
  package private(set) var at: Int64
  /// The total size of all earlier rows in bytes, removed ones included. The difference between two rows tells the size
  /// of the history between them without reading it.
  package let start: Int
  package private(set) var lines: [UInt8] = []

  private init(from first: Int, for count: Int, startingAt start: Int) {
    self.first = first
    self.start = start
    last = first &- 1
    at = 0
    lines.reserveCapacity(min(count * Self.typicalRevisionBytes, Self.fullBytes))
  }

  /// Returns the rows for revisions, each as full as allowed. A gap in the numbers starts a new row.
  ///
  /// - Parameters:
  ///   - start: The total size of all earlier rows in bytes.
  ///   - fullBytes: The size in bytes at which a row is full.
  package static func rows(
    of revisions: [Revision], startingAt start: Int, fullBytes: Int = fullBytes
  ) -> [BatchRow] {
    var rows: [BatchRow] = []
    for (index, revision) in revisions.enumerated() {
      let end = rows.endIndex - 1
      if end < 0 || rows[end].lines.count >= fullBytes || rows[end].last &+ 1 != revision.number {
        let position = rows.last.map { $0.start &+ $0.lines.count } ?? start
        rows.append(BatchRow(from: revision.number, for: revisions.count - index, startingAt: position))
      }
      rows[rows.endIndex - 1].append(revision)
    }
    return rows
  }

  private mutating func append(_ revision: Revision) {
    last = revision.number
    at = revision.timestamp
    let author = Array(revision.metadata.author.utf8)
    let (patch, undo, positions) = (revision.patch, revision.undo, revision.positions)
    if let shown = revision.shown {
      append(
        revision.timestamp,
        [author, patch, undo, positions?.patch ?? [], positions?.undo ?? [], shown.patch, shown.undo])
    } else {
      append(revision.timestamp, [author, patch, undo, positions?.patch ?? [], positions?.undo ?? []])
    }
  }

  private mutating func append<let count: Int>(_ time: Int64, _ texts: [count of [UInt8]]) {
    lines.append(addingCapacity: (count + 1) * Self.maximumNumberBytes) { line in
      if time < 0 { line.append(UInt8(ascii: "-")) }
      line.append(decimal: time.magnitude)
      for index in texts.indices {
        line.append(Self.space)
        line.append(decimal: UInt64(texts[index].count))
      }
    }
    for index in texts.indices {
      lines.append(Self.lineEnd)
      lines.append(contentsOf: texts[index])
    }
    lines.append(Self.lineEnd)
  }

  /// The maximum length of a number with a space or sign before it, in bytes.
  private static let maximumNumberBytes = 21
  private static let space = UInt8(ascii: " ")
  private static let lineEnd = UInt8(ascii: "\n")
}

extension BatchRow {
  /// Returns the revisions in the lines of a row; nil if the lines are malformed.
  package static func revisions(first: Int, last: Int, lines: [UInt8]) -> [Revision]? {
    var revisions: [Revision] = []
    var remaining = lines[...]
    while !remaining.isEmpty {
      guard let revision = parseRevision(first &+ revisions.count, from: &remaining) else { return nil }
      revisions.append(revision)
    }
    return revisions.last?.number == last ? revisions : nil
  }

  /// Removes one revision from the front of the lines and returns it; nil if the lines are malformed.
  private static func parseRevision(_ number: Int, from lines: inout ArraySlice<UInt8>) -> Revision? {
    guard let numbers = parseNumbers(from: &lines), numbers.count == 6 || numbers.count == 8 else { return nil }
    let at = numbers[0]
    var texts: [[UInt8]] = []
    texts.reserveCapacity(numbers.count - 1)
    for length in numbers.dropFirst() {
      guard length >= 0 else { return nil }
      texts.append(Array(lines.prefix(length)))
      lines = lines.dropFirst(length)
      guard lines.popFirst() == lineEnd else { return nil }
    }
    let metadata = CommitMetadata(author: String(decoding: texts[0], as: UTF8.self))
    let positions = texts[3].isEmpty ? nil : Revision.Pair(patch: texts[3], undo: texts[4])
    let shown = texts.count == 7 ? Revision.Pair(patch: texts[5], undo: texts[6]) : nil
    return Revision(
      number: number, at: Int64(at), patch: texts[1], undo: texts[2], shown: shown, positions: positions,
      metadata: metadata)
  }

  /// Removes a line of decimal numbers from the front of the lines and returns them; nil if it is malformed.
  private static func parseNumbers(from lines: inout ArraySlice<UInt8>) -> [Int]? {
    var numbers: [Int] = []
    numbers.reserveCapacity(8)
    var (number, digits, isNegative) = (0, 0, false)
    while let byte = lines.popFirst() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9") where digits < 18:
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
        digits += 1
      case UInt8(ascii: "-") where digits == 0 && !isNegative: isNegative = true
      case space, lineEnd:
        guard digits > 0 else { return nil }
        numbers.append(isNegative ? -number : number)
        if byte == lineEnd { return numbers }
        (number, digits, isNegative) = (0, 0, false)
      default: return nil
      }
    }
    return nil
  }
}
