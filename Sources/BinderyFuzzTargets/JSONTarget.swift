import BinderyJSON

/// Checks that the parser accepts exactly valid JSON, and that values round-trip through canonical and indented text.
enum JSONTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    for depth in [64, 3] {
      let isJSON = ReferenceJSON.accepts(input, maximumDepth: depth)
      do throws(JSONSyntaxError) {
        _ = try JSONDocument(parsing: input, maximumDepth: depth)
        if isJSON { continue }
      } catch {
        guard isJSON else { continue }
        throw Finding("rejected, although it is valid JSON: \(error)")
      }
      throw Finding("accepted, although it is not valid JSON of depth \(depth)")
    }
    guard let root = try? JSONDocument(parsing: input).root else { return }
    try check(root)
    let written = canonical(root)
    let again = try parsed(written)
    try expect(
      canonical(again) == written, "canonical text is not stable: \(written.text), then \(canonical(again).text)")
    if isExact(root) { try expect(root.equals(again), "not equal to its canonical text: \(written.text)") }
    let pretty = prettyPrinted(written.span)
    try expect(try parsed(pretty).equals(again), "not equal to its indented text: \(pretty.text)")
  }

  private static func parsed(_ bytes: [UInt8]) throws(Finding) -> JSONNode {
    do throws(JSONSyntaxError) { return try JSONDocument(parsing: bytes).root } catch {
      throw Finding("the written text is not valid JSON: \(error) in \(bytes.text)")
    }
  }

  /// Calls every accessor of every node and compares numbers with the standard library.
  private static func check(_ root: JSONNode) throws(Finding) {
    var open = [root]
    while let node = open.popLast() {
      open += node.elements
      for (name, value) in node.members { open += [name, value] }
      _ = (node.bool, node.isNull, node.excerpt(maximum: 5))
      if let string = node.string {
        try expect(node.isString(string), "isString is false for its own string “\(string)”")
      }
      guard node.kind == .number else { continue }
      let text = node.text.text
      let nearest = Double(text).flatMap { $0.isFinite ? $0 : nil }
      try expect(node.double?.bitPattern == nearest?.bitPattern, "\(text) was read as \(node.double.debugDescription)")
      if let integer = Int64(text) {
        try expect(node.integer() == .value(integer), "\(text) was read as \(node.integer())")
      }
    }
  }

  /// Returns whether every number in a value is an integer, which the canonical text represents exactly.
  private static func isExact(_ node: JSONNode) -> Bool {
    switch node.kind {
    case .number: if case .value = node.integer() { true } else { false }
    case .array: node.elements.allSatisfy(isExact)
    case .object: node.members.allSatisfy { isExact($0.value) }
    case .null, .bool, .string: true
    }
  }

  private static func canonical(_ node: JSONNode) -> [UInt8] {
    var writer = JSONWriter()
    write(node, to: &writer)
    return writer.bytes
  }

  private static func write(_ node: JSONNode, to writer: inout JSONWriter) {
    switch node.kind {
    case .null: writer.null()
    case .bool: writer.bool(node.bool ?? false)
    case .string: writer.string(node.string ?? "")
    case .number:
      // An integer cannot represent negative zero.
      if case .value(let integer) = node.integer(), integer != 0 {
        writer.integer(integer)
      } else if let double = node.double {
        writer.double(double)
      } else {
        writer.raw(Array(node.text))
      }
    case .array:
      writer.beginArray()
      for element in node.elements { write(element, to: &writer) }
      writer.endArray()
    case .object:
      writer.beginObject()
      for (name, value) in node.members {
        writer.key(name.string ?? "")
        write(value, to: &writer)
      }
      writer.endObject()
    }
  }
}
