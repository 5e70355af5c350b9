package import BinderyJSON

/// Any JSON value, as one leaf: it is replaced as a whole, and its parts have no addresses.
///
/// In canonical JSON the members of its objects are sorted by the bytes of their names.
@usableFromInline
package struct FreeJSON: Sendable, Hashable {
  /// The value in canonical JSON.
  package let json: [UInt8]

  /// The maximum number of nested arrays and objects. With those of the types around it, the whole state can be sent in
  /// a request, also in a JSON Patch, which adds two.
  static var maximumDepth: Int { 30 }

  var isNull: Bool { json.elementsEqual("null".utf8) }

  /// Creates a value from JSON.
  ///
  /// - Throws: ``ValidationError`` for a duplicate member, too many levels, or a number that no `Double` can express;
  ///   an integer must fit into 64 bits, or keep its digits as a `Double`.
  package init(_ node: JSONNode) throws(ValidationError) {
    var writer = JSONWriter()
    try Self.write(node, into: &writer, depth: 0)
    json = writer.bytes
  }

  /// Writes a value in canonical JSON.
  private static func write(_ node: JSONNode, into writer: inout JSONWriter, depth: Int) throws(ValidationError) {
    guard depth < maximumDepth || ![.array, .object].contains(node.kind) else {
      throw ValidationError(
        .value, "arrays and objects are nested more than \(maximumDepth) levels deep",
        expected: "at most \(maximumDepth) levels")
    }
    switch node.kind {
    case .null: writer.null()
    case .bool: writer.bool(node.bool ?? false)
    case .string: writer.string(node.string ?? "")
    case .number: try writeNumber(node, into: &writer)
    case .array:
      writer.beginArray()
      for (index, element) in node.elements.enumerated() {
        do throws(ValidationError) { try write(element, into: &writer, depth: depth + 1) } catch {
          throw error.under(String(index))
        }
      }
      writer.endArray()
    case .object:
      let members = node.members.map { (name: $0.key.string ?? "", value: $0.value) }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      writer.beginObject()
      var previous: String?
      for member in members {
        if let previous, previous.isSame(as: member.name) {
          throw ValidationError(.duplicateMember, "duplicate member “\(member.name)”", at: member.name)
        }
        previous = member.name
        writer.key(member.name)
        do throws(ValidationError) { try write(member.value, into: &writer, depth: depth + 1) } catch {
          throw error.under(member.name)
        }
      }
      writer.endObject()
    }
  }

  private static func writeNumber(_ node: JSONNode, into writer: inout JSONWriter) throws(ValidationError) {
    if case .value(let integer) = node.integer() { return writer.integer(integer) }
    guard let number = node.double else { throw .wrongType(node, expected: "a number that a Double can express") }
    if node.isRoundedInteger {
      throw ValidationError(
        .value, "\(node.excerpt(maximum: 40)) has more digits than an integer of 64 bits or a Double",
        expected: "a string, or a number with fewer digits")
    }
    // Also of a number that is too small for a Double: `-0` would be read as the integer 0.
    writer.double(number == 0 ? 0 : number)
  }
}

extension FreeJSON: Editable {
  @usableFromInline package static let shape = EditableShape<FreeJSON>.leaf(
    .freeMember,
    encode: { $1.raw($0.json) },
    decode: { node throws(ValidationError) in try FreeJSON(node) },
    areSame: { $0.json == $1.json })
}
