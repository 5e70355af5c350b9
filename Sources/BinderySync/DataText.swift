package import BinderyCore
import BinderyJSON

/// Writes the text of a data file so that it differs from an earlier text only where the data differs.
///
/// Unchanged parts are copied with their spelling and white space. Members keep their order, new ones are the last.
/// Objects and arrays that have changed keep their layout; new ones look like the element before them, or like the rest
/// of the file.
package struct DataText {
  /// A part of the earlier text that corresponds to a new value.
  private struct Template {
    /// The part of the text.
    let text: JSONNode
    /// The same value in canonical JSON; nil if the part only shows a layout.
    let value: JSONNode?
    /// The same value when the text was decoded again, which differs where the text leaves something to chance; nil if
    /// it was decoded only once, or if the part was not there again.
    var again: JSONNode?
    /// The white space before the part, after a comma; nil if it is the first one.
    var lead: ArraySlice<UInt8>?
  }

  private let layout: TextLayout
  /// Whether the earlier text was decoded twice.
  private let leavesChance: Bool
  private var bytes: [UInt8] = []

  private init(_ layout: TextLayout, leavesChance: Bool) {
    self.layout = layout
    self.leavesChance = leavesChance
  }

  /// Returns the text for data.
  ///
  /// - Parameters:
  ///   - data: The data in canonical JSON.
  ///   - type: The type of the state, in which collections name the ids of their elements.
  ///   - earlier: The earlier text, and the data that it describes in canonical JSON: none if that is not known, and
  ///     that of two decodings if the text leaves something to chance, such as an id.
  package static func text(
    of data: [UInt8], _ type: TypeInfo, like earlier: (text: [UInt8], data: [[UInt8]])
  ) -> [UInt8] {
    guard let new = try? JSONDocument(parsing: data, maximumDepth: maximumDepth).root else {
      preconditionFailure("canonical JSON can be parsed")
    }
    guard let old = try? JSONDocument(parsing: earlier.text, maximumDepth: maximumDepth).root else {
      return write(new, nil, type, TextLayout())
    }
    let values = earlier.data.map { try? JSONDocument(parsing: $0, maximumDepth: maximumDepth).root }
    let template = Template(text: old, value: values.first ?? nil, again: values.count > 1 ? values[1] : nil)
    return write(new, template, type, TextLayout(of: old, in: earlier.text))
  }

  /// More than the limit of requests, as for other stored text.
  private static var maximumDepth: Int { 256 }

  private static func write(
    _ new: JSONNode, _ template: Template?, _ type: TypeInfo, _ layout: TextLayout
  ) -> [UInt8] {
    var text = DataText(layout, leavesChance: template?.again != nil)
    text.bytes = layout.leading
    text.write(new, template, type, depth: 0)
    return text.bytes + layout.trailing
  }

  private mutating func write(_ new: JSONNode, _ template: Template?, _ type: TypeInfo?, depth: Int) {
    if let template, let value = template.value, value.text == new.text,
      !leavesChance || template.again?.text == value.text
    {
      bytes += template.text.text
      return
    }
    var style = layout.style(atDepth: depth)
    if let template, template.text.kind == new.kind, let known = ContainerStyle(of: template.text) {
      style = ContainerStyle(
        opening: known.opening, closing: known.closing, colon: known.colon,
        separator: known.separator ?? [UInt8(ascii: ",")] + layout.gap)
    }
    switch new.kind {
    case .object where new.count > 0: writeObject(new, template, type, style, depth: depth)
    case .array where new.count > 0: writeArray(new, template, type, style, depth: depth)
    default: bytes += new.text
    }
  }

  private mutating func writeObject(
    _ new: JSONNode, _ template: Template?, _ type: TypeInfo?, _ style: ContainerStyle, depth: Int
  ) {
    let values = template?.value.map(Self.members(of:)) ?? [:]
    let again = template?.again.map(Self.members(of:)) ?? [:]
    var remaining = Self.members(of: new)
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    var previous: JSONNode?
    for (key, old) in template?.text.members.map({ ($0.key, $0.value) }) ?? [] {
      defer { previous = old }
      let name = Self.name(key)
      guard let value = remaining.removeValue(forKey: name), let text = template?.text else { continue }
      separate(style, isFirst: isFirst, lead: Self.lead(of: key, after: previous, in: text))
      bytes += text.text[key.text.startIndex..<old.text.startIndex]
      let part = Template(text: old, value: values[name], again: again[name])
      write(value, part, type?.part(named: key.string ?? ""), depth: depth + 1)
      isFirst = false
    }
    for (key, value) in new.members where remaining[Self.name(key)] != nil {
      separate(style, isFirst: isFirst, lead: nil)
      bytes += key.text
      bytes += style.colon ?? []
      write(value, nil, type?.part(named: key.string ?? ""), depth: depth + 1)
      isFirst = false
    }
    bytes += style.closing
    bytes.append(UInt8(ascii: "}"))
  }

  /// Writes what precedes a part of an object or array.
  private mutating func separate(_ style: ContainerStyle, isFirst: Bool, lead: ArraySlice<UInt8>?) {
    if isFirst {
      bytes += style.opening
    } else if let lead {
      bytes.append(UInt8(ascii: ","))
      bytes += lead
    } else {
      bytes += style.separator ?? []
    }
  }

  /// Returns the white space before a part of a container; nil for the first part.
  private static func lead(
    of part: JSONNode, after previous: JSONNode?, in container: JSONNode
  ) -> ArraySlice<UInt8>? {
    guard let previous else { return nil }
    let gap = container.text[previous.text.endIndex..<part.text.startIndex]
    return gap.firstIndex(of: UInt8(ascii: ",")).map { gap[($0 + 1)...] }
  }

  private mutating func writeArray(
    _ new: JSONNode, _ template: Template?, _ type: TypeInfo?, _ style: ContainerStyle, depth: Int
  ) {
    let element = type?.unwrapped.elementType
    let idName = element?.identity?.name
    // The parts of the earlier text correspond to the earlier data by their positions, except those of a set.
    let old = type?.isSet == true ? [] : template.map { Array($0.text.elements) } ?? []
    let values = template?.value.map { Array($0.elements) } ?? []
    let again = template?.again.map { Array($0.elements) } ?? []
    let pairs = old.enumerated().map { index, text in
      Template(
        text: text, value: values.count == old.count ? values[index] : nil,
        again: again.count == old.count ? again[index] : nil,
        lead: template.flatMap { Self.lead(of: text, after: index == 0 ? nil : old[index - 1], in: $0.text) })
    }
    var byID: [ArraySlice<UInt8>: Int] = [:]
    if let idName {
      for (index, value) in values.enumerated() where index < pairs.count { byID[value[idName]?.text ?? []] = index }
    }
    bytes.append(UInt8(ascii: "["))
    var sibling: JSONNode? = pairs.first?.text
    for (index, value) in new.elements.enumerated() {
      let position = idName.map { byID[value[$0]?.text ?? []] } ?? (index < pairs.count ? index : nil)
      let pair = position.map { pairs[$0] }
      separate(style, isFirst: index == 0, lead: pair?.lead)
      write(value, pair ?? sibling.map { Template(text: $0, value: nil) }, element, depth: depth + 1)
      if let pair { sibling = pair.text }
    }
    bytes += style.closing
    bytes.append(UInt8(ascii: "]"))
  }

  private static func members(of node: JSONNode) -> [[UInt8]: JSONNode] {
    Dictionary(node.members.map { (name($0.key), $0.value) }) { first, _ in first }
  }

  private static func name(_ key: JSONNode) -> [UInt8] { Array((key.string ?? "").utf8) }
}

extension TypeInfo {
  fileprivate var isSet: Bool { if case .set = unwrapped.kind { true } else { false } }
}
