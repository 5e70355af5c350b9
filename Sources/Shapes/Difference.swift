package import JSON

/// Writes the JSON Patch (RFC 6902) that leads from one version of a value to another; elements are named by their ids.
package struct Difference {
  package private(set) var writer = JSONWriter()
  /// How many operations there are.
  package private(set) var count = 0
  private var path: [UInt8] = []

  package init() { writer.beginArray() }

  /// The patch.
  package mutating func finish() -> [UInt8] {
    writer.endArray()
    return writer.bytes
  }

  mutating func under(_ segment: String, _ body: (inout Difference) -> Void) {
    let length = path.count
    path.append(UInt8(ascii: "/"))
    path.append(contentsOf: Pointer.escaped(segment).utf8)
    body(&self)
    path.removeLast(path.count - length)
  }

  mutating func replace(_ encode: (inout JSONWriter) -> Void) { write("replace", encode) }
  mutating func add(_ encode: (inout JSONWriter) -> Void) { write("add", encode) }

  mutating func remove() {
    begin("remove")
    pointer("path")
    writer.endObject()
  }

  /// The element at the path comes to stand at an index of its sequence.
  mutating func move(from segment: String, to index: Int) {
    begin("move")
    under(segment) { $0.pointer("from") }
    under(String(index)) { $0.pointer("path") }
    writer.endObject()
  }

  private mutating func write(_ name: String, _ encode: (inout JSONWriter) -> Void) {
    begin(name)
    pointer("path")
    writer.key("value")
    encode(&writer)
    writer.endObject()
  }

  private mutating func begin(_ name: String) {
    count += 1
    writer.beginObject()
    writer.key("op")
    writer.string(name)
  }

  private mutating func pointer(_ name: String) {
    writer.key(name)
    let text = path
    writer.string(utf8: text.span)
  }
}

extension Shape {
  /// Appends what leads from `old` to `new`.
  package func difference(from old: Value, to new: Value, _ difference: inout Difference) {
    // Compared by hand where computed members may differ although what is stored below does not.
    if let write = operations.difference {
      write(old, new, &difference)
    } else if !areSame(old, new) {
      difference.replace { encode(new, into: &$0) }
    }
  }
}
