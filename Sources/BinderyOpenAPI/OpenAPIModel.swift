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
    switch (type.kind, self) {
    case (.elements(let part, _), .array(let elements)), (.array(let part), .array(let elements)),
      (.set(let part), .array(let elements)):
      return .array(elements.prefix(count).map { $0.shortened(part) })
    case (.dictionary(let part, _), .object(let entries)):
      return .object(entries.prefix(count).map { Member(key: $0.key, value: $0.value.shortened(part)) })
    case (.product(let product), .object(let entries)):
      let types = Dictionary(product.members.map { ($0.name, $0.type) }) { first, _ in first }
      return .object(
        entries.map { entry in
          Member(key: entry.key, value: types[entry.key].map(entry.value.shortened) ?? entry.value)
        })
    case (.sum(let cases), .object(let entries)):
      return .object(
        entries.map { entry in
          let payload = cases.first { $0.name == entry.key }?.payload
          return Member(key: entry.key, value: payload.map(entry.value.shortened) ?? entry.value)
        })
    case (.optional(let wrapped), _):
      guard case .optional = wrapped.kind, self != .null else { return shortened(wrapped) }
      return .object(members.map { Member(key: $0.key, value: $0.value.shortened(wrapped)) })
    default: return self
    }
  }
}
