import BinderyJSON

/// Exactly what is JSON is taken; what was read is written in one spelling, which reads back the same.
enum Texts {
  static func run(_ input: [UInt8]) throws(Finding) {
    for depth in [64, 3] {
      let isJSON = ReferenceJSON.accepts(input, maximumDepth: depth)
      do throws(JSONSyntaxError) {
        _ = try JSONDocument(parsing: input, maximumDepth: depth)
        if isJSON { continue }
      } catch {
        guard isJSON else { continue }
        throw Finding("refused, though it is JSON: \(error)")
      }
      throw Finding("accepted, though it is no JSON of depth \(depth)")
    }
    guard let root = try? JSONDocument(parsing: input).root else { return }
    try check(root)
    let written = canonical(root)
    let again = try parsed(written)
    try expect(canonical(again) == written, "written once: \(written.text), and again: \(canonical(again).text)")
    if isExact(root) { try expect(root.equals(again), "not equal to what was written: \(written.text)") }
    let pretty = prettyPrinted(written.span)
    try expect(try parsed(pretty).equals(again), "not equal when indented: \(pretty.text)")
  }

  private static func parsed(_ bytes: [UInt8]) throws(Finding) -> JSONNode {
    do throws(JSONSyntaxError) { return try JSONDocument(parsing: bytes).root } catch {
      throw Finding("what was written is no JSON: \(error) in \(bytes.text)")
    }
  }

  /// Each part, read in every way that there is.
  private static func check(_ root: JSONNode) throws(Finding) {
    var open = [root]
    while let node = open.popLast() {
      open += node.elements
      for (name, value) in node.members { open += [name, value] }
      _ = (node.bool, node.isNull, node.excerpt(maximum: 5))
      if let string = node.string { try expect(node.isString(string), "“\(string)” is not itself") }
      guard node.kind == .number else { continue }
      let text = node.text.text
      let nearest = Double(text).flatMap { $0.isFinite ? $0 : nil }
      try expect(node.double?.bitPattern == nearest?.bitPattern, "\(text) as \(node.double.debugDescription)")
      if let integer = Int64(text) { try expect(node.integer() == .value(integer), "\(text) as \(node.integer())") }
    }
  }

  /// Whether every number in it is written as the number that it is.
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
      // Zero has a sign, which no integer keeps.
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
