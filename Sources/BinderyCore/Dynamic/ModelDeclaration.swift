/// The content of a model file: the root of the state, and the types that it refers to by name.
package struct ModelDeclaration: Sendable, Equatable {
  /// A type with a name, an entry of `$defs`.
  package struct Definition: Sendable, Equatable {
    package var name: String
    package var schema: SchemaDeclaration

    package init(name: String, schema: SchemaDeclaration) {
      self.name = name
      self.schema = schema
    }
  }

  /// The root, a struct.
  package var root: SchemaDeclaration
  package var definitions: [Definition]
  /// The state of a new store in JSON; members that it omits take their defaults.
  package var initial: ConstantDeclaration?

  package init(root: SchemaDeclaration, definitions: [Definition] = [], initial: ConstantDeclaration? = nil) {
    self.root = root
    self.definitions = definitions
    self.initial = initial
  }
}

/// A mistake in a model file.
package struct ModelMistake: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place in the model file, as a JSON Pointer (RFC 6901).
  package let pointer: String
  package let message: String

  /// Creates a mistake. Control characters in the message, which may quote the file, become spaces.
  package init(_ message: String, at pointer: String) {
    self.message = message.oneLine
    self.pointer = pointer.oneLine
  }

  package var description: String { "\(message) (at \(pointer.isEmpty ? "the root" : pointer))" }
}

extension String {
  /// The text with control characters and line separators replaced by spaces.
  fileprivate var oneLine: String {
    if !unicodeScalars.contains(where: \.isControl) { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character, or ends a line or paragraph.
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

/// All mistakes that were found in a model file: at least one.
package struct ModelMistakes: Error, Hashable, Sendable {
  package let list: [ModelMistake]

  package init(_ list: [ModelMistake]) { self.list = list }
}

/// The declaration of a type.
package struct SchemaDeclaration: Sendable {
  /// The kinds of types.
  package indirect enum Kind: Sendable, Equatable {
    /// Any JSON value, as one leaf.
    case any
    case scalar(ScalarDeclaration)
    case structure(StructDeclaration)
    case union([CaseDeclaration])
    case optional(SchemaDeclaration)
    /// An array whose elements have no addresses.
    case list(SchemaDeclaration, CountLimits)
    case set(SchemaDeclaration, CountLimits)
    /// An array of structs with ids.
    case collection(SchemaDeclaration, CountLimits)
    case dictionary(SchemaDeclaration, KeyKind, CountLimits)
    /// A definition, by its name.
    case reference(String)
  }

  package var kind: Kind
  package var notes: Notes
  /// The place in the model file, as a JSON Pointer.
  package var pointer: String

  package init(_ kind: Kind, notes: Notes = Notes(), at pointer: String = "") {
    self.kind = kind
    self.notes = notes
    self.pointer = pointer
  }

  /// Whether the type is an optional.
  package var isOptional: Bool { if case .optional = kind { true } else { false } }
}

extension SchemaDeclaration: Equatable {
  /// Compares everything but the places in the model files.
  package static func == (a: SchemaDeclaration, b: SchemaDeclaration) -> Bool { a.kind == b.kind && a.notes == b.notes }
}

/// The declaration of a type without parts.
package struct ScalarDeclaration: Sendable, Equatable {
  package enum Form: String, Sendable, CaseIterable {
    case boolean, integer, number, float, string, uuid, dateTime, date, duration, uri, base64
  }

  package var form: Form
  package var minimum: Bound?
  package var maximum: Bound?
  /// The limits of the number of Unicode code points of a string, or of bytes of base64.
  package var length = CountLimits()
  /// The limits of the number of characters (extended grapheme clusters) of a string.
  package var characters = CountLimits()
  /// The limit of the number of bytes in UTF-8.
  package var maximumBytes: Int?
  package var isNotBlank = false
  package var hasNoControlCharacters = false
  /// The allowed values in canonical JSON; empty for all.
  package var values: [String] = []
  /// The collection that the value names an element of.
  package var reference: ReferenceDeclaration?
  /// The Swift code that the type needs, which no model file can contain; nil for none.
  package var code: String?

  package init(_ form: Form) { self.form = form }
}

/// The limits of a count; nil for none.
package struct CountLimits: Sendable, Hashable {
  package var minimum: Int?
  package var maximum: Int?

  package init(minimum: Int? = nil, maximum: Int? = nil) {
    self.minimum = minimum
    self.maximum = maximum
  }
}

/// The types of dictionary keys.
package enum KeyKind: String, Sendable, CaseIterable {
  case string, integer, uuid, date
}

/// The declaration of a struct.
package struct StructDeclaration: Sendable {
  package let members: [MemberDeclaration]
  /// The name of the member that is the id of an element.
  package let identity: String?
  /// Whether values may have further members, which are free JSON values.
  package let isOpen: Bool
  /// The members that are stored, in the order of JSON.
  let stored: [MemberDeclaration]
  /// The index of each member by its name.
  private let indices: [String.UTF8View.Bytes: Int]
  /// The index of each stored member in ``stored`` by its name.
  private let storedIndices: [String.UTF8View.Bytes: Int]

  package init(members: [MemberDeclaration], identity: String? = nil, isOpen: Bool = false) {
    self.members = members
    self.isOpen = isOpen
    self.identity = identity
    stored = members.filter(\.isStored)
    indices = Self.indices(of: members)
    storedIndices = Self.indices(of: stored)
  }

  private static func indices(of members: [MemberDeclaration]) -> [String.UTF8View.Bytes: Int] {
    let indices = members.enumerated().map { (String.UTF8View.Bytes($1.name), $0) }
    return Dictionary(indices) { first, _ in first }
  }

  /// The members that are computed, which follow the stored ones in JSON.
  var computed: [MemberDeclaration] { members.filter { !$0.isStored } }

  /// Returns a member; nil if there is none with this name.
  func member(named name: String) -> MemberDeclaration? { indices[String.UTF8View.Bytes(name)].map { members[$0] } }

  /// Returns the index of a stored member in ``stored``; nil if there is none with this name.
  func storedIndex(of name: String) -> Int? { storedIndices[String.UTF8View.Bytes(name)] }

  /// Returns the index of a stored member in a value, in which the id is the first; nil if there is no such member.
  func slot(of name: String) -> Int? {
    guard let index = storedIndex(of: name) else { return nil }
    guard let id = identity.flatMap(storedIndex), index <= id else { return index }
    return index == id ? 0 : index + 1
  }
}

extension StructDeclaration: Equatable {
  /// Compares what the declaration was made of. Comparing what follows from it too would compare each level twice,
  /// and the innermost of 32 levels four billion times.
  package static func == (a: StructDeclaration, b: StructDeclaration) -> Bool {
    a.isOpen == b.isOpen && a.identity == b.identity && a.members == b.members
  }
}

/// The declaration of a member.
package struct MemberDeclaration: Sendable {
  /// The source of the value of a member.
  package enum Source: Sendable, Equatable {
    /// It is stored.
    case stored(SchemaDeclaration)
    /// It is stored, read-only, and keeps the last payload of a case.
    case remembered(PlaceDeclaration)
    /// It is computed.
    case computed(OpticDeclaration)
    /// It is computed by Swift code, which no model file can express.
    case compiled(SchemaDeclaration, isReadOnly: Bool)
  }

  package var name: String
  package var source: Source
  package var notes = Notes()
  /// Whether the member cannot be written after its struct was created.
  package var isReadOnly = false
  /// Whether the server creates the id if a request has none.
  package var isGenerated = false
  /// Whether a new value must have the member.
  package var isRequired = false
  /// Whether JSON leaves the member out while it is null.
  package var omitsNull = false
  /// The value in a new struct that omits the member, in JSON.
  package var fallback: ConstantDeclaration?
  /// The place in the model file, as a JSON Pointer.
  package var pointer: String

  package init(_ name: String, _ source: Source, at pointer: String = "") {
    self.name = name
    self.source = source
    self.pointer = pointer
  }

  /// Whether the member is stored.
  var isStored: Bool {
    switch source {
    case .stored, .remembered: true
    case .computed, .compiled: false
    }
  }
}

extension MemberDeclaration: Equatable {
  /// Compares everything but the places in the model files.
  package static func == (a: MemberDeclaration, b: MemberDeclaration) -> Bool {
    a.name.isSame(as: b.name) && a.source == b.source && a.notes == b.notes && a.isReadOnly == b.isReadOnly
      && a.isGenerated == b.isGenerated && a.omitsNull == b.omitsNull && a.isRequired == b.isRequired
      && a.fallback == b.fallback
  }
}

/// The declaration of an enum case.
package struct CaseDeclaration: Sendable, Equatable {
  package var name: String
  /// The payload; nil for a case without one. A struct that is not a reference has the labels of the payload.
  package var payload: SchemaDeclaration?

  package init(_ name: String, _ payload: SchemaDeclaration? = nil) {
    self.name = name
    self.payload = payload
  }
}

/// A place that an optic names, with its own place in the model file.
package struct PlaceDeclaration: Sendable {
  /// The unescaped segments of the JSON Pointer.
  package var segments: [String]
  /// The place in the model file, as a JSON Pointer.
  package var pointer: String

  package init(_ segments: [String], at pointer: String = "") {
    self.segments = segments
    self.pointer = pointer
  }

  /// The JSON Pointer.
  package var text: String { Pointer.text(segments) }
}

extension PlaceDeclaration: Equatable {
  /// Compares everything but the places in the model files.
  package static func == (a: PlaceDeclaration, b: PlaceDeclaration) -> Bool {
    a.segments.elementsEqual(b.segments) { $0.isSame(as: $1) }
  }
}

/// A value in a model file, with its place.
package struct ConstantDeclaration: Sendable {
  /// The value in JSON.
  package var json: [UInt8]
  /// The place in the model file, as a JSON Pointer.
  package var pointer: String

  package init(_ json: [UInt8], at pointer: String = "") {
    self.json = json
    self.pointer = pointer
  }
}

extension ConstantDeclaration: Equatable {
  /// Compares everything but the places in the model files.
  package static func == (a: ConstantDeclaration, b: ConstantDeclaration) -> Bool { a.json == b.json }
}

/// The declaration of a computed member. Its places are relative to the struct of the member.
package enum OpticDeclaration: Sendable, Equatable {
  /// Another place.
  case alias(PlaceDeclaration)
  /// The element of a collection that an id names. It can be edited, but not created.
  case lookup(in: PlaceDeclaration, by: PlaceDeclaration)
  /// The value of an optional, or a default in JSON.
  case orDefault(of: PlaceDeclaration, value: ConstantDeclaration)
  /// The number of elements or entries.
  case count(PlaceDeclaration)
  /// The ids of the elements in which a member has a value in JSON.
  case filter(in: PlaceDeclaration, member: PlaceDeclaration, equals: ConstantDeclaration)
  /// A text for each value.
  case label(of: PlaceDeclaration, texts: [Text], otherwise: String?)

  /// One text of a label.
  package struct Text: Sendable, Equatable {
    package var value: String
    package var text: String

    package init(value: String, text: String) {
      self.value = value
      self.text = text
    }
  }
}

/// The declaration of a reference: the value is the id of an element of a collection.
package struct ReferenceDeclaration: Sendable, Equatable {
  /// The action when the element that a reference names is removed.
  package enum Removal: String, Sendable, CaseIterable {
    /// The reference becomes null, or leaves the array that contains it.
    case clear
    /// The removal is refused.
    case refuse
    /// The element or entry that contains the reference is removed, too.
    case cascade
  }

  /// The collection, as a place from the root of the state.
  package var target: PlaceDeclaration
  package var onRemoval: Removal

  package init(target: PlaceDeclaration, onRemoval: Removal) {
    self.target = target
    self.onRemoval = onRemoval
  }
}
