import BinderyAPI
import BinderyCore

/// Values to show, taken from one value of the whole state.
struct OpenAPIExamples: Sendable {
  /// The first value of each type.
  private var values: [String: OpenAPINode] = [:]

  init(_ type: TypeInfo, _ value: OpenAPINode) { collect(type, value) }

  private mutating func collect(_ type: TypeInfo, _ value: OpenAPINode) {
    if value == .null { return }
    let signature = type.signature
    if values[signature] == nil { values[signature] = value }
    switch type.kind {
    case .scalar: break
    case .product(let product):
      for member in product.members {
        if let part = value[member.name] { collect(member.type, part) }
      }
    case .sum(let cases):
      for one in cases {
        if let payload = one.payload, let part = value[one.name] { collect(payload, part) }
      }
    case .optional(let wrapped):
      if case .optional = wrapped.kind { collect(wrapped, value["some"] ?? .null) } else { collect(wrapped, value) }
    case .elements(let element, _), .array(let element):
      for part in value.elements { collect(element, part) }
    case .dictionary(let entry, _):
      for part in value.entries { collect(entry, part.value) }
    }
  }

  /// A value of the type as `GET` gives it: one of the state, or one made of what the types say.
  func value(of type: TypeInfo) -> OpenAPINode { values[type.signature] ?? made(type) }

  private func made(_ type: TypeInfo) -> OpenAPINode {
    switch type.kind {
    case .scalar(let scalar): bounded(OpenAPINode(json: Array(scalar.example.utf8)), type.rules)
    case .product(let product):
      .object(
        product.members.filter { $0.role != .hidden }.map { .init(key: $0.name, value: value(of: $0.type)) })
    case .sum(let cases): cases.first.map(made) ?? .null
    case .optional(let wrapped):
      if case .optional = wrapped.kind { ["some": value(of: wrapped)] } else { value(of: wrapped) }
    case .elements, .array: []
    case .dictionary: [:]
    }
  }

  private func made(_ one: CaseInfo) -> OpenAPINode {
    guard let payload = one.payload else { return .text(one.name) }
    return .object([.init(key: one.name, value: value(of: payload))])
  }

  private func bounded(_ value: OpenAPINode, _ rules: [Rule]) -> OpenAPINode {
    guard case .number(let text) = value, var number = Int(text) else { return value }
    for rule in rules {
      switch rule {
      case .minimum(let least): number = max(number, least)
      case .maximum(let most): number = min(number, most)
      default: continue
      }
    }
    return .number(String(number))
  }
}

extension OpenAPIUse {
  /// What of a value that `GET` gave is sent for this use.
  func part(of value: OpenAPINode, _ type: TypeInfo) -> OpenAPINode {
    if self == .read || value == .null { return value }
    switch type.kind {
    case .scalar: return value
    case .product(let product): return .object(members(of: value, product))
    case .sum(let cases):
      guard let one = cases.first(where: { value[$0.name] != nil }), let payload = one.payload,
        let inside = value[one.name]
      else { return value }
      return .object([.init(key: one.name, value: part(of: inside, payload))])
    case .optional(let wrapped):
      guard case .optional = wrapped.kind else {
        // What fills an optional brings its id.
        let use = self == .put && !type.isFixed ? .whole : self
        return use.part(of: value, wrapped)
      }
      return ["some": part(of: value["some"] ?? .null, wrapped)]
    case .elements(let element, _), .array(let element):
      return .list(value.elements.map { ofElement.part(of: $0, element) })
    case .dictionary(let entry, _):
      return .object(value.entries.map { .init(key: $0.key, value: ofEntry.part(of: $0.value, entry)) })
    }
  }

  private func members(of value: OpenAPINode, _ product: ProductInfo) -> [OpenAPINode.Entry] {
    if self == .put { return OpenAPIUse.replacement.members(of: value, product) }
    return shown(product).compactMap { member in
      guard let use = ofMember(member.role), let part = value[member.name] else { return nil }
      return .init(key: member.name, value: use.part(of: part, member.type))
    }
  }

  private func shown(_ product: ProductInfo) -> [MemberInfo] {
    switch self {
    case .merge:
      let writable = product.members.filter(\.isWritable)
      return (writable.first { $0.type.isSmall } ?? writable.first).map { [$0] } ?? []
    case .replacement, .put: return product.members.filter { $0.role == .stored }
    // An id is made where it can be.
    case .new: return product.members.filter { !$0.isComputed && !($0.role == .identity && $0.hasDefault) }
    case .read, .whole: return product.members.filter { !$0.isComputed }
    }
  }
}

extension TypeInfo {
  /// Shown on one line.
  fileprivate var isSmall: Bool {
    switch kind {
    case .scalar, .sum: true
    case .optional(let wrapped): wrapped.isSmall
    case .product, .elements, .array, .dictionary: false
    }
  }

  /// What tells types apart whose schemas differ.
  var signature: String {
    let shape =
      switch kind {
      case .scalar: name
      case .product(let product):
        "\(name)(" + product.members.map { "\($0.name):\($0.role):\($0.type.signature)" }.joined(separator: ",") + ")"
      case .sum(let cases):
        "\(name)<" + cases.map { "\($0.name):\($0.payload?.signature ?? "")" }.joined(separator: "|") + ">"
      case .optional(let wrapped): wrapped.signature + "?"
      case .elements(let element, _): "[#\(element.signature)]"
      case .array(let element): "[\(element.signature)]"
      case .dictionary(let entry, let key): "[\(key.type.signature):\(entry.signature)]"
      }
    return rules.isEmpty ? shape : "\(shape)\(rules)"
  }
}
