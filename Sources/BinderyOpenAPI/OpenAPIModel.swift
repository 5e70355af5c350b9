package import BinderyCore
package import BinderyJSON

/// The subject of the document: a type, the names of its parts, and examples.
struct OpenAPIModel: Sendable {
  /// The type of the whole state.
  let type: TypeInfo
  /// The example of the whole state.
  let example: JSONTree
  let names: OpenAPITypeNames
  let examples: OpenAPIExamples

  /// The length of the JSON of the longest state that serves as the example. For a longer one, the examples come from
  /// the types.
  private static let maximumExampleBytes = 1 << 20

  init<Root: Sendable>(_ example: Root, _ model: ModelDefinition<Root>) {
    var writer = JSONWriter(stoppingAt: Self.maximumExampleBytes)
    model.shape.encode(example, into: &writer)
    type = model.shape.type
    self.example = writer.hasStopped ? .null : JSONTree(json: writer.bytes).shortened(type)
    names = OpenAPITypeNames(type)
    examples = OpenAPIExamples(type, self.example)
  }

  /// A member of the state with its value, for examples: the first writable one that fits on a line.
  var sample: (pointer: JSONTree, value: JSONTree) {
    let writable = OpenAPISchemaVariant.merge.part(of: example, type).members.first
    guard let key = (writable ?? example.members.first)?.key, let value = example[key] else { return ("", example) }
    return (.string(Pointer.text([key])), value)
  }
}

extension JSONTree {
  /// Returns a value of the type with two elements of each collection, or as many as it must have.
  package func shortened(_ type: TypeInfo) -> JSONTree {
    let count = type.rules.reduce(2) { if case .minimumCount(let count) = $1 { max($0, count) } else { $0 } }
    let short: JSONTree =
      switch (type.kind, self) {
      case (.elements, .array(let elements)), (.array, .array(let elements)), (.set, .array(let elements)):
        .array(Array(elements.prefix(count)))
      case (.dictionary, .object(let entries)): .object(Array(entries.prefix(count)))
      default: self
      }
    return short.mapParts(of: type) { $0.shortened($1) }
  }
}
