import BinderyCore
import BinderyCryptography
import BinderySystem

/// Revisions that are appended in one statement, with the hashes that connect them to the batch before them.
struct StoredBatch {
  let first: Int
  let last: Int
  /// The time of the last revision, in milliseconds since 1970.
  let at: Int64
  let patches: [UInt8]
  let results: [KeyedResult]
  /// The number of the layout that the patches belong to.
  let layout: Int
  /// The hash of all batches before.
  let previous: [UInt8]
  /// Differs between any two appends, so that equal batches of two servers have different hashes. Otherwise a server
  /// that looks for its own batch could take that of another server for it.
  let nonce: [UInt8]
  /// The hash of all batches up to this one.
  let chain: [UInt8]

  init(
    first: Int, last: Int, at: Int64, patches: [UInt8], results: [KeyedResult], layout: Int,
    after previous: [UInt8], nonce: [UInt8]
  ) {
    (self.first, self.last, self.at, self.patches, self.results) = (first, last, at, patches, results)
    self.layout = layout
    (self.previous, self.nonce) = (previous, nonce)
    chain = BLAKE2b.digest(previous + nonce + Array("\(first) \(last)\n".utf8) + patches)
  }
}

/// The part of a batch that is kept to recognize it.
struct BatchMark {
  /// The last revision of the batch.
  let last: Int
  /// The first 8 bytes of its hash.
  private let beginning: UInt64

  init(_ batch: StoredBatch) { self.init(last: batch.last, chain: batch.chain) }

  init(last: Int, chain: [UInt8]) {
    self.last = last
    beginning = chain.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The first bytes of the hash.
  var chain: [UInt8] { (0..<8).reversed().map { UInt8(truncatingIfNeeded: beginning >> ($0 * 8)) } }
}

/// The batches that a server has published in the last seconds, and marks of older ones. After a promotion it appends
/// those again that the standby did not have, and reports those that it cannot append.
struct RecentBatches {
  /// The time for which batches are kept, in milliseconds.
  private static let lifetime: Int64 = 10_000
  /// The size of the batches in bytes above which the oldest ones are dropped.
  private static let maximumBytes = 64 << 20
  /// The number of marks that are kept. Twice as many are kept for a while, so that few are moved.
  private static let markCount = 100_000

  /// The marks of batches that were dropped, in the order of their revisions.
  private var older: [BatchMark] = []
  private var batches: [(time: Int64, batch: StoredBatch)] = []
  private var bytes = 0

  /// Adds a batch, and drops those that are too old.
  mutating func append(_ batch: StoredBatch) {
    let now = Clock.monotonicMilliseconds
    batches.append((now, batch))
    bytes += batch.patches.count
    var dropped = 0
    var remaining = bytes
    while now - batches[dropped].time > Self.lifetime || remaining > Self.maximumBytes, dropped < batches.count - 1 {
      remaining -= batches[dropped].batch.patches.count
      dropped += 1
    }
    forgetFirst(dropped)
  }

  /// Marks a revision that the server has loaded, before which it has published nothing.
  mutating func mark(_ position: Position) {
    guard (newest?.last ?? older.last?.last ?? -1) < position.revision else { return }
    forgetFirst(batches.count)
    older.append(BatchMark(last: position.revision, chain: position.chain))
  }

  /// Keeps only marks of the batches up to a revision.
  mutating func forget(upTo revision: Int) { forgetFirst(batches.prefix { $0.batch.last <= revision }.count) }

  private mutating func forgetFirst(_ count: Int) {
    for (_, batch) in batches.prefix(count) {
      bytes -= batch.patches.count
      older.append(BatchMark(batch))
    }
    if older.count >= 2 * Self.markCount { older.removeFirst(older.count - Self.markCount) }
    batches.removeFirst(count)
  }

  /// Forgets all batches and marks after the first ones.
  ///
  /// - Parameter count: The number of marks and batches to keep.
  mutating func keepFirst(_ count: Int) {
    batches.removeLast(batches.count - max(0, count - older.count))
    bytes = batches.reduce(0) { $0 + $1.batch.patches.count }
    older.removeLast(max(0, older.count - count))
  }

  /// The batch that was added last.
  var newest: StoredBatch? { batches.last?.batch }

  /// The marks of all batches, in the order of their revisions.
  var marks: [BatchMark] { older + batches.map { BatchMark($0.batch) } }

  /// The batches in the order of their revisions.
  var all: [StoredBatch] { batches.map(\.batch) }
}
