public import BinderyDigest
public import BinderyJSON

/// The members of an open struct that its type does not declare: free JSON values with names.
///
/// In an address, such a member is a key: the steps are those of an entry of a dictionary.
@usableFromInline
struct FreeMembers<Root: Sendable>: Sendable {
  @usableFromInline typealias Entries = [String: FreeJSON]

  @usableFromInline typealias Order = EntryOrder<String, FreeJSON>

  private let shape = Entries.shape
  private let orders = SharedValues(keepingLatest: true)
  private let get: @Sendable (Root) -> Entries
  private let set: @Sendable (inout Root, Entries) -> Void

  init(get: @escaping @Sendable (Root) -> Entries, set: @escaping @Sendable (inout Root, Entries) -> Void) {
    (self.get, self.set) = (get, set)
  }

  /// Writes the members, sorted by their names; `index` is the one to begin with.
  ///
  /// - Parameter offset: The number of members before the first one.
  /// - Returns: Whether the slice of the text is full.
  @usableFromInline
  func encode(_ order: Order, into writer: inout JSONWriter, from index: Int, offset: Int) -> Bool {
    var index = index
    while index - offset < order.count {
      let (name, value) = order[index - offset]
      writer.key(name)
      writer.raw(value.json)
      if writer.stops(after: index) { return true }
      index += 1
    }
    return false
  }

  /// Returns the order of the members, which a writer keeps between slices.
  @usableFromInline
  func order(of root: Root, _ writer: inout JSONWriter) -> Order {
    Order(get(root), sharing: orders, &writer)
  }

  @usableFromInline
  func store(_ root: Root, into writer: inout StoredWriter) {
    let order = Order(get(root))
    for index in 0..<order.count {
      writer.writer.key(order[index].key)
      writer.writer.raw(order[index].value.json)
    }
  }

  @usableFromInline
  func count(in root: Root) -> Int { get(root).count }

  @usableFromInline
  func addDigests(of root: Root, to parts: inout OutputSpan<Digest>, _ context: inout DigestContext) {
    let order = Order(get(root), sharing: orders)
    for index in 0..<order.count {
      let (name, value) = order[index]
      parts.append(context.json(name) { $1.string($0) })
      parts.append(FreeJSON.shape.digest(value, &context))
    }
  }

  @usableFromInline
  func areSame(_ a: Root, _ b: Root) -> Bool { shape.areSame(get(a), get(b)) }

  /// Returns whether the JSON of members describes those of a value.
  @usableFromInline
  func matches(_ root: Root, _ parts: [(String, JSONNode)], _ comparison: Comparison) -> Bool {
    let entries = get(root)
    guard comparison.mayOmitAll || parts.count == entries.count else { return false }
    return parts.allSatisfy { name, node in
      guard let index = entries.index(ofSame: name) else { return comparison.mayOmitEntries && node.isNull }
      guard let sent = try? FreeJSON(node) else { return false }
      return entries[index].value == sent
    }
  }

  /// Replaces the members by those of JSON.
  @usableFromInline
  func decode(_ parts: [(String, JSONNode)], into root: inout Root) throws(ValidationError) {
    if parts.isEmpty, get(root).isEmpty { return }
    var entries: Entries = [:]
    for (name, node) in parts { try Self.set(name, to: node, in: &entries) }
    set(&root, entries)
  }

  /// Merges JSON into the members (RFC 7396): `null` removes a member.
  @usableFromInline
  func merge(_ parts: [(String, JSONNode)], into root: inout Root) throws(ValidationError) {
    guard !parts.isEmpty else { return }
    var entries = get(root)
    for (name, node) in parts {
      if node.isNull {
        if let index = entries.index(ofSame: name) { entries.remove(at: index) }
      } else {
        try Self.set(name, to: node, in: &entries)
      }
    }
    set(&root, entries)
  }

  private static func set(_ name: String, to node: JSONNode, in entries: inout Entries) throws(ValidationError) {
    guard entries[name] == nil || entries.index(ofSame: name) != nil else {
      throw ValidationError(
        .duplicateMember, "the name “\(name)” differs from another one only in Unicode normalization", at: name)
    }
    do throws(ValidationError) { entries[name] = try FreeJSON(node) } catch { throw error.under(name) }
  }

  @usableFromInline
  func visit(_ root: Root, _ route: Route, _ index: Int, _ reading: inout ReadOperation) throws(Absence) {
    try shape.visit(get(root), route, index, &reading)
  }

  @usableFromInline
  func descend(_ root: inout Root, _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) {
    var entries = get(root)
    // Taken out of the struct, so that they are edited in place.
    set(&root, [:])
    do throws(EditError) { try shape.operations.descend(&entries, route, index, &edit) } catch {
      set(&root, entries)
      throw error
    }
    set(&root, entries)
  }

  @usableFromInline
  func observe(_ old: Root?, _ new: Root, _ watch: WatchNode) {
    let (before, after) = (old.map(get), get(new))
    if let before, shape.areSame(before, after) { return }
    // Only the parts: the node is that of the struct, and its watcher has been notified of the whole value.
    shape.operations.observe(before, after, watch)
  }

  @usableFromInline
  func difference(_ old: Root, _ new: Root, _ difference: inout PatchBuilder) {
    shape.difference(from: get(old), to: get(new), &difference)
  }
}

extension KeyInfo {
  /// The names of members that an open struct does not declare.
  package static let freeMember = KeyInfo(String.self)
}

extension StructShape {
  /// Returns the members of a JSON object that the type does not declare; none if the struct is not open.
  ///
  /// A stored object may have the largest id of a collection that the type no longer has, which is left out. A request
  /// that contains one has been refused.
  ///
  /// - Throws: ``ValidationError`` if a name occurs twice.
  @usableFromInline
  func freeParts(of node: JSONNode) throws(ValidationError) -> [(String, JSONNode)] {
    guard free != nil else { return [] }
    var parts: [(String, JSONNode)] = []
    var seen: Set<[UInt8]> = []
    for (key, part) in node.members where !names.contains(key) {
      let name = key.string ?? ""
      if LargestID.isName(name) { continue }
      guard seen.insert(Array(name.utf8)).inserted else {
        throw ValidationError(.duplicateMember, "duplicate member “\(name)”", at: name)
      }
      parts.append((name, part))
    }
    return parts
  }

  /// Returns whether a name can be that of a member that the type does not declare.
  func isFree(_ name: String) -> Bool {
    free != nil && Pointer.isMemberName(name) && !LargestID.isName(name) && !names.contains(name)
  }
}
