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

/// The batches that a server has published in the last seconds. After a promotion it appends those again that the
/// standby did not have.
struct RecentBatches {
  /// The time for which batches are kept, in milliseconds.
  private static let lifetime: Int64 = 10_000
  /// The size of the batches in bytes above which the oldest ones are dropped.
  private static let maximumBytes = 64 << 20

  private var batches: [(time: Int64, batch: StoredBatch)] = []
  private var bytes = 0

  /// Adds a batch, and drops those that are too old.
  mutating func append(_ batch: StoredBatch) {
    let now = Clock.monotonicMilliseconds
    batches.append((now, batch))
    bytes += batch.patches.count
    var dropped = 0
    while now - batches[dropped].time > Self.lifetime || bytes > Self.maximumBytes, dropped < batches.count - 1 {
      bytes -= batches[dropped].batch.patches.count
      dropped += 1
    }
    batches.removeFirst(dropped)
  }

  /// The batch that was added last.
  var newest: StoredBatch? { batches.last?.batch }

  /// The batches in the order of their revisions.
  var all: [StoredBatch] { batches.map(\.batch) }
}
