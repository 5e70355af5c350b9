/// The head of one request: values and ranges into the bytes it was read from, which must be at hand to use it.
///
/// All ranges count from the first byte of the request. One value serves many requests, one after the other, and
/// keeps the room for its fields.
package struct RequestHead: Sendable {
  /// The form in which the target was written (RFC 9112 §3.2).
  package enum TargetForm: UInt8, Sendable {
    /// A path, with or without a query: the usual one.
    case origin
    /// A whole URI; `path` and `query` are those parts of it, and `authority` replaces the Host field.
    case absolute
    /// `*`, or a whole URI without a path, which means the same for OPTIONS; the path is empty.
    case asterisk
  }

  /// How the end of the body is known (RFC 9112 §6.3).
  package enum Framing: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
  }

  /// One field line: its name as far as it is known, and where name and value stand, the value without outer blanks.
  package struct Field: Sendable {
    package let name: FieldName
    package let nameRange: Range<Int>
    package let value: Range<Int>
  }

  package internal(set) var method = Method.unknown
  package internal(set) var targetForm = TargetForm.origin
  /// The method's own bytes, for an unknown one.
  package internal(set) var methodRange = 0..<0
  /// The path, percent-encoded as it came, with its leading slash; in the absolute form it may be empty, and means `/`.
  package internal(set) var path = 0..<0
  /// The query without its question mark; nil when there is no question mark.
  package internal(set) var query: Range<Int>?
  /// Host and optional port: of the absolute form, else of the Host field; empty when there is neither (HTTP/1.0).
  package internal(set) var authority = 0..<0
  /// Whether the version is HTTP/1.1 (or a later minor one), not HTTP/1.0.
  package internal(set) var isHTTP11 = true
  /// Whether the peer lets the connection go on after this request (RFC 9112 §9.3).
  package internal(set) var keepAlive = true
  /// Whether the peer waits for `100 Continue` before it sends its body (RFC 9110 §10.1.1).
  package internal(set) var expectsContinue = false
  package internal(set) var framing = Framing.none
  /// How many field lines there are; `field(_:)` tells each.
  package internal(set) var fieldCount = 0
  /// The room for fields: those of earlier requests stand behind the last one of this.
  private var fields: [Field] = []
  /// The known names that are there, a bit each: most of those that are asked for are not.
  var names: UInt64 = 0
  /// The head's length with the empty line that ends it; the body begins there.
  package internal(set) var byteCount = 0

  /// Of a head that was known by its bytes; no other ever has the same number. 0 for one that was not known.
  package internal(set) var number: UInt64 = 0

  /// Where the parser stands between two calls.
  var progress = Progress()

  /// An empty head with room for the fields of a usual request.
  package init() {
    fields.reserveCapacity(16)
  }

  /// Becomes one of some heads, in the room that it has for its own fields: told one by one, where it stands, since a
  /// copy of it would share its room.
  mutating func become(_ heads: borrowing Span<RequestHead>, at index: Int) {
    method = heads[index].method
    targetForm = heads[index].targetForm
    methodRange = heads[index].methodRange
    path = heads[index].path
    query = heads[index].query
    authority = heads[index].authority
    isHTTP11 = heads[index].isHTTP11
    keepAlive = heads[index].keepAlive
    expectsContinue = heads[index].expectsContinue
    framing = heads[index].framing
    byteCount = heads[index].byteCount
    progress = heads[index].progress
    names = heads[index].names
    number = heads[index].number
    let known = heads[index].fields.span
    let count = heads[index].fieldCount
    fieldCount = count
    while fields.count < count { fields.append(known[fields.count]) }
    var room = fields.mutableSpan
    for index in 0..<count { room[index] = known[index] }
  }

  /// A field line by its place in the head.
  package func field(_ index: Int) -> Field {
    precondition(index < fieldCount)
    return fields[index]
  }

  /// Takes in one more field line.
  @inline(__always)
  mutating func append(_ field: Field) {
    if fieldCount < fields.count { fields[fieldCount] = field } else { fields.append(field) }
    fieldCount += 1
    names |= field.name.bit
  }

  /// The value of the first field with a name.
  ///
  /// - Complexity: O(number of fields).
  package func first(_ name: FieldName) -> Range<Int>? {
    guard contains(name) else { return nil }
    for index in 0..<fieldCount where fields[index].name == name { return fields[index].value }
    return nil
  }

  /// Tells the value of each field line with a name, in order; together they are one list (RFC 9110 §5.3).
  ///
  /// - Complexity: O(number of fields).
  package func forEach<E>(_ name: FieldName, _ body: (Range<Int>) throws(E) -> Void) throws(E) {
    guard contains(name) else { return }
    for index in 0..<fieldCount where fields[index].name == name { try body(fields[index].value) }
  }

  /// Whether a field with a name is there at all.
  package func contains(_ name: FieldName) -> Bool { names & name.bit != 0 }
}
