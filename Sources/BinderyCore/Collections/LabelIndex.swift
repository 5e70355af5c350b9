/// The labels of elements by the hashes of their ids. Versions share their common parts.
///
/// A trie of the bits of the hashes: a branch has 16 children, and a bucket has up to 64 entries in the order of their
/// hashes. Hashes are seeded and evenly distributed, so the place of one in its bucket can be estimated. A lookup among
/// a million entries therefore reads few lines of memory that are in no cache of the processor. A tree like that of the
/// elements would need a search in each of its nodes, and more memory for the versions in between.
///
/// - Complexity: O(log *n*) for each operation.
@usableFromInline
struct LabelIndex: Sendable {
  private var root = Node.bucket([])
  /// Identifies the entries: indices with equal stamps are copies.
  @usableFromInline private(set) var stamp = nextStamp()

  /// Creates an empty index.
  @usableFromInline
  init() {}

  /// Creates an index of entries in the order of their hashes.
  ///
  /// - Complexity: O(*n*).
  @usableFromInline
  init(sorted entries: [HashedLabel]) { root = Node(entries[...], depth: 0) }

  /// Returns the labels with a hash. There are several only if hashes collide.
  @usableFromInline
  func labels(of hash: UInt64) -> Labels { root.labels(of: hash, depth: 0) }

  @usableFromInline
  mutating func insert(_ entry: HashedLabel) {
    root.insert(entry, depth: 0)
    stamp = nextStamp()
  }

  /// Removes an entry, if there is one with this hash and label.
  @usableFromInline
  mutating func remove(_ entry: HashedLabel) {
    root.remove(entry, depth: 0)
    stamp = nextStamp()
  }
}

extension LabelIndex {
  /// Iterates over the labels with one hash.
  @usableFromInline
  struct Labels: IteratorProtocol {
    private let hash: UInt64
    private let entries: [HashedLabel]
    private var position: Int

    fileprivate init(_ hash: UInt64, in entries: [HashedLabel], from position: Int) {
      (self.hash, self.entries, self.position) = (hash, entries, position)
    }

    @usableFromInline
    mutating func next() -> UInt64? {
      guard position < entries.count, entries[position].hash == hash else { return nil }
      defer { position += 1 }
      return entries[position].label
    }
  }

  /// A part of the trie. Its depth is the number of branches above it. Parts are divided, but never merged again.
  private enum Node: Sendable {
    case bucket([HashedLabel])
    case branch([Node])

    /// The number of bits of a hash that select a child.
    static var bits: Int { 4 }
    /// The number of entries above which a bucket is divided. Greater ones would make lookups faster, but the versions
    /// before each of many insertions would take more memory.
    static var capacity: Int { 64 }

    init(_ entries: ArraySlice<HashedLabel>, depth: Int) {
      guard entries.count > Self.capacity, depth < UInt64.bitWidth / Self.bits else {
        self = .bucket(Array(entries))
        return
      }
      var rest = entries
      self = .branch(
        (0..<1 << Self.bits).map { child in
          let end = rest.firstIndex { Self.child(of: $0.hash, depth) != child } ?? rest.endIndex
          defer { rest = rest[end...] }
          return Node(rest[..<end], depth: depth + 1)
        })
    }

    /// Returns the child of a branch that has the entries with a hash.
    private static func child(of hash: UInt64, _ depth: Int) -> Int {
      Int(truncatingIfNeeded: (hash << UInt64(bits * depth)) >> UInt64(UInt64.bitWidth - bits))
    }

    /// Returns the position of the first entry of a bucket whose hash is not less than `hash`.
    private static func position(of hash: UInt64, in entries: [HashedLabel], _ depth: Int) -> Int {
      // The bits that differ within the bucket are a fraction of its range.
      let fraction = hash << UInt64(bits * depth)
      var position = Int(fraction.multipliedFullWidth(by: UInt64(entries.count)).high)
      while position > 0, entries[position - 1].hash >= hash { position -= 1 }
      while position < entries.count, entries[position].hash < hash { position += 1 }
      return position
    }

    func labels(of hash: UInt64, depth: Int) -> Labels {
      switch self {
      case .bucket(let entries): Labels(hash, in: entries, from: Self.position(of: hash, in: entries, depth))
      case .branch(let children): children[Self.child(of: hash, depth)].labels(of: hash, depth: depth + 1)
      }
    }

    mutating func insert(_ entry: HashedLabel, depth: Int) {
      edit(entry.hash, depth) { entries, depth in
        entries.insert(entry, at: Self.position(of: entry.hash, in: entries, depth))
      }
    }

    mutating func remove(_ entry: HashedLabel, depth: Int) {
      edit(entry.hash, depth) { entries, depth in
        var position = Self.position(of: entry.hash, in: entries, depth)
        while position < entries.count, entries[position].hash == entry.hash {
          if entries[position].label == entry.label {
            entries.remove(at: position)
            return
          }
          position += 1
        }
      }
    }

    /// Edits the bucket of a hash. What no other version has is changed in place.
    private mutating func edit(_ hash: UInt64, _ depth: Int, _ body: (inout [HashedLabel], Int) -> Void) {
      switch self {
      case .bucket(var entries):
        self = .bucket([])
        body(&entries, depth)
        self = entries.count > Self.capacity ? Node(entries[...], depth: depth) : .bucket(entries)
      case .branch(var children):
        self = .bucket([])
        children[Self.child(of: hash, depth)].edit(hash, depth + 1, body)
        self = .branch(children)
      }
    }
  }
}
