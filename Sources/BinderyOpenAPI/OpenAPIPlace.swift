import BinderyAPI
import BinderyCore

/// A place of the state as the description shows it: an address in which ids are parameters.
struct OpenAPIPlace: Sendable {
  struct Parameter: Sendable {
    let name: String
    let type: TypeInfo
    /// An id that fits, or that an element has in the example.
    let example: OpenAPINode
  }

  /// The address with ids as they are in the example.
  let route: Route
  let path: String
  let parameters: [Parameter]
  /// The words of the address, for operation ids and names of schemas.
  let words: [String]
  /// What the place is, for people.
  let noun: String
  /// What the type of the place is called; a payload with labels has no type of its own.
  let typeName: String
  /// What stands there in the example, or what could.
  let value: OpenAPINode

  let tag: String
  /// Something on the way may be missing.
  let canBeAbsent: Bool
  /// A `PUT` may make what is missing.
  let canBeMade: Bool

  var hasIDs: Bool { !parameters.isEmpty }

  /// What the name of the place's schema would be, if it needs one of its own.
  var hint: String { words.joined() }
}

extension OpenAPIPlace {
  static func root(_ type: TypeInfo, example: OpenAPINode) -> OpenAPIPlace {
    OpenAPIPlace(
      route: .root(type), path: "/state", parameters: [], words: ["State"], noun: "the whole state",
      typeName: type.name, value: example, tag: "state", canBeAbsent: false, canBeMade: false)
  }

  /// The places one segment further.
  func children(_ examples: OpenAPIExamples) -> [OpenAPIPlace] { children(of: route.target, value, examples) }

  private func children(of type: TypeInfo, _ value: OpenAPINode, _ examples: OpenAPIExamples) -> [OpenAPIPlace] {
    switch type.kind {
    case .scalar, .array: return []
    case .product(let product):
      return product.members.filter { $0.role != .hidden }.compactMap { member in
        child(
          member.name, "`\(member.name)` of `\(typeName)`", member.type, value[member.name], examples,
          // The one label of a case counts as a part of it.
          canBeMade: canBeMade && isLabel(of: product))
      }
    case .sum(let cases):
      return cases.compactMap { one in
        guard let payload = one.payload else { return nil }
        return child(
          one.name, "the case `\(one.name)` of `\(type.name)`", payload, value[one.name], examples,
          typeName: one.isLabelled ? type.name + one.name.capitalizedFirst : nil, canBeAbsent: true, canBeMade: true)
      }
    case .optional(let wrapped):
      if case .optional = wrapped.kind {
        let some = child(
          "some", "what `\(path.split(separator: "/").last ?? "")` holds", wrapped, value["some"], examples,
          canBeAbsent: true, canBeMade: !type.isFixed)
        return some.map { [$0] } ?? []
      }
      let inside = value == .null ? examples.value(of: wrapped) : value
      return absentable(named: wrapped.name).children(of: wrapped, inside, examples)
    case .elements(let element, let key):
      return [self.element(element, key, first: value.elements.first, isFixed: type.isFixed, examples)].compactMap {
        $0
      }
    case .dictionary(let entry, let key):
      let first = value.entries.first
      return [self.entry(entry, key, first?.key, first?.value, examples)].compactMap { $0 }
    }
  }

  private func isLabel(of product: ProductInfo) -> Bool {
    if case .payload? = route.steps.last { product.members.count == 1 } else { false }
  }

  /// The same place, but what comes next may be missing.
  private func absentable(named typeName: String) -> OpenAPIPlace {
    OpenAPIPlace(
      route: route, path: path, parameters: parameters, words: words, noun: noun, typeName: typeName, value: value,
      tag: tag, canBeAbsent: true, canBeMade: false)
  }

  private func child(
    _ segment: String, _ noun: String, _ type: TypeInfo, _ value: OpenAPINode?, _ examples: OpenAPIExamples,
    typeName: String? = nil, canBeAbsent: Bool = false, canBeMade: Bool = false
  ) -> OpenAPIPlace? {
    guard let route = route.resolving([segment], form: .url) else { return nil }
    return OpenAPIPlace(
      route: route, path: path + RequestTarget.path([segment]), parameters: parameters,
      words: (self.route.steps.isEmpty ? [] : words) + [segment.capitalizedFirst], noun: noun,
      typeName: typeName ?? type.name, value: value ?? examples.value(of: type),
      tag: self.route.steps.isEmpty ? segment : tag, canBeAbsent: self.canBeAbsent || canBeAbsent,
      canBeMade: canBeMade)
  }

  private func element(
    _ type: TypeInfo, _ key: KeyInfo, first: OpenAPINode?, isFixed: Bool, _ examples: OpenAPIExamples
  ) -> OpenAPIPlace? {
    var value = first ?? examples.value(of: type)
    var id = examples.value(of: key.type)
    if case .product(let product) = type.kind, let identity = product.identity {
      let member = product.members[identity]
      id = value[member.name] ?? id
      if value[member.name] == nil { value = value.adding([member.name: id]) }
    }
    return parameter(type, "one `\(type.name)` of `\(path)`", key, id, value, canBeMade: !isFixed)
  }

  private func entry(
    _ type: TypeInfo, _ key: KeyInfo, _ id: String?, _ value: OpenAPINode?, _ examples: OpenAPIExamples
  ) -> OpenAPIPlace? {
    let id = id.map(OpenAPINode.text) ?? examples.value(of: key.type)
    return parameter(type, "one entry of `\(path)`", key, id, value ?? examples.value(of: type), canBeMade: true)
  }

  private func parameter(
    _ type: TypeInfo, _ noun: String, _ key: KeyInfo, _ id: OpenAPINode, _ value: OpenAPINode, canBeMade: Bool
  ) -> OpenAPIPlace? {
    let text = id.text ?? String(decoding: id.json, as: UTF8.self)
    guard let route = route.resolving([text], form: .url) else { return nil }
    var name = (path.split(separator: "/").last { !$0.hasPrefix("{") }.map(String.init) ?? "") + "Id"
    if parameters.contains(where: { $0.name == name }) { name += String(parameters.count + 1) }
    let parameter = Parameter(name: name, type: key.type, example: id)
    return OpenAPIPlace(
      route: route, path: path + "/{\(name)}", parameters: parameters + [parameter], words: words + ["Item"],
      noun: noun, typeName: type.name, value: value, tag: tag, canBeAbsent: true, canBeMade: canBeMade)
  }
}

extension OpenAPIPlace {
  /// The most places that a description holds.
  static let maximumCount = 2_000

  /// Every place that the types know, a place before what lies below it; where they are too many, those nearest to the
  /// root.
  static func all(below root: OpenAPIPlace, _ examples: OpenAPIExamples) -> [OpenAPIPlace] {
    var places = [root]
    for depth in 1...RequestTarget.maximumSegments {
      let deeper = root.descendants(examples, depth: depth)
      guard deeper.count > places.count, deeper.count <= maximumCount else { break }
      places = deeper
    }
    return places
  }

  private func descendants(_ examples: OpenAPIExamples, depth: Int) -> [OpenAPIPlace] {
    guard depth > 0 else { return [self] }
    return [self] + children(examples).flatMap { $0.descendants(examples, depth: depth - 1) }
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
