import BinderyCore

/// Names that every code generator accepts: ASCII letters and digits.
enum OpenAPINaming {
  /// Returns a name in upper camel case: `Dish` for `dish`, `FirstName` for `first-name`.
  ///
  /// Characters that are neither ASCII letters nor digits separate words. A text without any is `Value`.
  static func capitalized(_ text: String) -> String {
    let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    let name = words.map { String($0).capitalizedFirst }.joined()
    guard let first = name.first else { return "Value" }
    return first.isNumber ? "Value" + name : name
  }

  /// Returns a name in lower camel case: `dish` for `Dish`, `urlEntry` for `URLEntry`.
  static func lowercased(_ text: String) -> String {
    let name = capitalized(text)
    let capitals = name.prefix { $0.isUppercase }.count
    // The last of several capitals begins the next word.
    let count = capitals > 1 && capitals < name.count ? capitals - 1 : capitals
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }

  /// Returns a name that is not used, with a number from 2 on if it needs one.
  static func unused(_ base: String, _ isUsed: (String) -> Bool) -> String {
    var name = base
    var number = 2
    while isUsed(name) {
      name = "\(base)\(number)"
      number += 1
    }
    return name
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension TypeInfo {
  /// A text that differs for types with different schemas.
  var signature: String {
    let shape =
      switch kind {
      case .scalar(let scalar): scalar.values.isEmpty ? name : "\(name)<\(scalar.values.joined(separator: "|"))>"
      case .product(let product):
        "\(name)(" + product.members.map { "\($0.name):\($0.role):\($0.type.signature)" }.joined(separator: ",") + ")"
      case .sum(let cases):
        "\(name)<" + cases.map { "\($0.name):\($0.payload?.signature ?? "")" }.joined(separator: "|") + ">"
      case .optional(let wrapped): wrapped.signature + "?"
      case .elements(let element, _): "[#\(element.signature)]"
      case .array(let element): "[\(element.signature)]"
      case .set(let element): "{\(element.signature)}"
      case .dictionary(let entry, let key): "[\(key.type.signature):\(entry.signature)]"
      }
    return (isFixed ? "=" : "") + (rules.isEmpty ? shape : "\(shape)\(rules)")
  }
}

/// The component names of the types of a model.
struct OpenAPITypeNames: Sendable {
  /// The signatures of the types that have each name. A name with several signatures is ambiguous.
  private var signatures: [String: Set<String>] = [:]

  init(_ root: TypeInfo) { collect(root) }

  /// Returns whether a type has this name.
  func contain(_ name: String) -> Bool { signatures[name] != nil }

  /// Returns the name of a type, or the hint if another type or a component of every document has the same name.
  func name(of type: TypeInfo, hint: String) -> String {
    let name = OpenAPINaming.capitalized(type.name)
    return signatures[name, default: []].count > 1 || OpenAPIComponents.schemaNames.contains(name) ? hint : name
  }

  /// Returns the name of the schema of an enum value with a payload.
  static func alternative(_ enumCase: CaseInfo, of type: String) -> String {
    type + OpenAPINaming.capitalized(enumCase.name)
  }

  /// Returns the name of the schema of the labels of an enum case, or the hint for its payload.
  static func labels(of enumCase: CaseInfo, in type: String) -> String {
    alternative(enumCase, of: type) + "Payload"
  }

  private mutating func collect(_ type: TypeInfo) {
    switch type.kind {
    case .scalar: insert(type)
    case .product(let product):
      guard insert(type) else { return }
      for member in product.members where member.role != .hidden { collect(member.type) }
    case .sum(let cases):
      guard insert(type) else { return }
      for enumCase in cases {
        guard let payload = enumCase.payload else { continue }
        guard enumCase.isLabelled, case .product(let labels) = payload.kind else {
          collect(payload)
          continue
        }
        for label in labels.members { collect(label.type) }
      }
    case .optional(let part), .elements(let part, _), .array(let part), .set(let part): collect(part)
    case .dictionary(let part, let key):
      collect(part)
      collect(key.type)
    }
  }

  /// Returns whether the type was not known before.
  @discardableResult
  private mutating func insert(_ type: TypeInfo) -> Bool {
    let plain = TypeInfo(name: type.name, kind: type.kind)
    return signatures[OpenAPINaming.capitalized(type.name), default: []].insert(plain.signature).inserted
  }
}
