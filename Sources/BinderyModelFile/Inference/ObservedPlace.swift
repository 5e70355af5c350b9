import BinderyCore
import BinderyJSON

/// A summary of all values at one place of some data. The elements of an array share one place.
final class ObservedPlace {
  /// The kinds of values. Integers and other numbers are one kind.
  struct Kinds: OptionSet {
    let rawValue: Int
    static let boolean = Kinds(rawValue: 1)
    static let number = Kinds(rawValue: 2)
    static let string = Kinds(rawValue: 4)
    static let array = Kinds(rawValue: 8)
    static let object = Kinds(rawValue: 16)
  }

  /// A member of the objects at a place.
  struct Member {
    let name: String
    let place = ObservedPlace()
    /// The number of objects that have the member.
    var count = 0
  }

  /// The kinds of all values but null.
  private(set) var kinds: Kinds = []
  private(set) var hasNull = false
  /// Whether all numbers are integers without fraction and exponent.
  private(set) var isInteger = true
  /// Whether an integer would be written with other digits as a `Double`.
  private(set) var hasWideInteger = false
  /// Whether there is a larger integer than each of the integers.
  private(set) var leavesLargerIntegers = true
  private(set) var strings = ObservedStrings()

  private(set) var objectCount = 0
  /// The members of all objects, in the order of their first appearance.
  private(set) var members: [Member] = []
  private var indices: [[UInt8]: Int] = [:]

  /// The elements of all arrays; nil if all are empty.
  private(set) var element: ObservedPlace?
  /// Whether the elements of each array are objects with a unique `id` that a URL can contain.
  private(set) var hasIDs = true

  /// Adds a value.
  func add(_ node: JSONNode) {
    switch node.kind {
    case .null: hasNull = true
    case .bool: kinds.insert(.boolean)
    case .number: add(number: node)
    case .string:
      kinds.insert(.string)
      strings.add(node)
    case .array: add(array: node)
    case .object: add(object: node)
    }
  }

  private func add(number node: JSONNode) {
    kinds.insert(.number)
    guard node.isPlainInteger, case .value(let integer) = node.integer() else {
      isInteger = false
      return
    }
    if integer == .max { leavesLargerIntegers = false }
    if integer.magnitude > 1 << 53, node.isRoundedByDouble { hasWideInteger = true }
  }

  private func add(array node: JSONNode) {
    kinds.insert(.array)
    guard node.count > 0 else { return }
    let element = element ?? ObservedPlace()
    self.element = element
    for part in node.elements { element.add(part) }
    hasIDs = hasIDs && Self.haveIDs(node)
  }

  private func add(object node: JSONNode) {
    kinds.insert(.object)
    objectCount += 1
    var next = 0
    for (key, value) in node.members {
      let index = next < members.count && key.isString(members[next].name) ? next : index(of: key.string ?? "")
      members[index].place.add(value)
      members[index].count += 1
      next = index + 1
    }
  }

  private func index(of name: String) -> Int {
    let bytes = Array(name.utf8)
    if let index = indices[bytes] { return index }
    indices[bytes] = members.count
    members.append(Member(name: name))
    return members.count - 1
  }

  /// Returns whether the elements of an array are objects with a unique `id`, all strings or all integers.
  private static func haveIDs(_ array: JSONNode) -> Bool {
    var known: Set<[UInt8]> = []
    known.reserveCapacity(array.count)
    for element in array.elements {
      guard let id = element["id"] else { return false }
      if let text = id.string {
        guard Pointer.isMemberName(text), known.insert(Array(text.utf8)).inserted else { return false }
      } else {
        guard id.isPlainInteger, case .value(let number) = id.integer() else { return false }
        guard known.insert(Array(String(number).utf8)).inserted else { return false }
      }
    }
    return true
  }
}

/// The formats that all strings at a place have.
struct ObservedStrings {
  private static let forms: [ScalarDeclaration.Form] = [.uuid, .date, .dateTime]

  /// The formats in which all strings can be read.
  private var readable = forms
  /// The formats in which all strings would be written again with the same characters.
  private var exact = forms

  /// The format of all strings; `string` if they have none.
  var form: ScalarDeclaration.Form { exact.first ?? .string }
  /// A format in which all strings can be read, although some would be written in another way; nil if there is none.
  var similarForm: ScalarDeclaration.Form? { exact.isEmpty ? readable.first : nil }

  mutating func add(_ node: JSONNode) {
    guard !readable.isEmpty else { return }
    let text = node.compacted
    for form in readable {
      // No text of a format is longer.
      let written = text.count <= 64 ? form.canonicalJSON(of: node) : nil
      if written == nil { readable.removeAll { $0 == form } }
      if written != text { exact.removeAll { $0 == form } }
    }
  }
}
