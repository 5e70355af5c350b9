import BinderyCore

/// Turns what data has in common into a model.
struct ModelInference {
  /// Whether objects may have further members.
  let isOpen: Bool
  var findings = PlaceList()
  var doubts = PlaceList()

  /// Returns the type of the values at a place.
  mutating func schema(_ observed: ObservedPlace, _ place: Place) -> SchemaDeclaration {
    if let doubt = observed.reasonForAny(place) {
      doubts.add(doubt, place.text)
      return SchemaDeclaration(.any)
    }
    var place = place
    if observed.hasNull { place.level += 1 }
    let schema = SchemaDeclaration(kind(observed, place))
    return observed.hasNull && schema.kind != .any ? SchemaDeclaration(.optional(schema)) : schema
  }

  private mutating func kind(_ observed: ObservedPlace, _ place: Place) -> SchemaDeclaration.Kind {
    switch observed.kinds {
    case .boolean: return .scalar(ScalarDeclaration(.boolean))
    case .number: return .scalar(ScalarDeclaration(observed.isInteger ? .integer : .number))
    case .string: return .scalar(string(observed.strings, place))
    case .array:
      guard let element = observed.element else { return .any }
      return array(observed, element, place)
    default: return .structure(structure(observed, place))
    }
  }

  private mutating func string(_ strings: ObservedStrings, _ place: Place) -> ScalarDeclaration {
    let isID = place.segments.suffix(2) == ["{id}", "id"]
    if let noun = strings.form.noun, !isID { findings.add(noun, place.text) }
    if let noun = strings.similarForm?.noun {
      doubts.add("\(noun) in a form that the server does not write; they stay strings", place.text)
    }
    return ScalarDeclaration(strings.form)
  }

  private mutating func array(
    _ observed: ObservedPlace, _ element: ObservedPlace, _ place: Place
  ) -> SchemaDeclaration.Kind {
    guard !place.isInLeaf, let id = observed.id(place) else {
      let element = schema(element, place.part("*", levels: 1, isInLeaf: true))
      if element.kind == .any { return .any }
      if !place.isInLeaf {
        findings.add(
          "lists without unique ids; each is one value without URLs below it",
          ofOne: "a list without unique ids, which is one value without URLs below it", place.text)
      }
      return .list(element, CountLimits())
    }
    findings.add(
      "collections with a URL for each element; \(id.noun)",
      ofOne: "a collection with a URL for each element; \(id.noun)", place.text)
    let plain = structure(element, place.part("{id}", levels: 1))
    // The largest integer that was used is kept beside the collection, in the object that contains it.
    let isGenerated = id.canBeGenerated && (id.form != .integer || place.keepsLargestID && !observed.hasNull)
    let members = plain.members.map { member in
      guard member.name == "id" else { return member }
      var member = member
      member.source = .stored(SchemaDeclaration(.scalar(ScalarDeclaration(id.form))))
      (member.isGenerated, member.isRequired) = (isGenerated, !isGenerated)
      return member
    }
    return .collection(
      SchemaDeclaration(.structure(StructDeclaration(members: members, identity: "id", isOpen: isOpen))), CountLimits())
  }

  /// Returns the type of the objects at a place.
  mutating func structure(_ observed: ObservedPlace, _ place: Place) -> StructDeclaration {
    let names = Set(observed.members.map { Array($0.name.utf8) })
    let members = observed.members.map { member in
      var part = place.part(member.name, levels: 1)
      part.keepsLargestID = !names.contains(Array("\(member.name)#last".utf8)) && member.count == observed.objectCount
      return self.member(member, isOmitted: member.count < observed.objectCount, part)
    }
    addDoubt(about: members, place)
    return StructDeclaration(members: members, isOpen: isOpen)
  }

  private mutating func member(
    _ observed: ObservedPlace.Member, isOmitted: Bool, _ place: Place
  ) -> MemberDeclaration {
    var place = place
    if isOmitted, !observed.place.hasNull { place.level += 1 }
    var schema = schema(observed.place, place)
    if isOmitted {
      findings.add("missing in some objects; left out while null", place.text)
      if observed.place.hasNull {
        doubts.add("null in some objects and missing in others; now always left out", place.text)
      }
      switch schema.kind {
      case .any, .optional: break
      default: schema = SchemaDeclaration(.optional(schema))
      }
    }
    var member = MemberDeclaration(observed.name, .stored(schema))
    member.omitsNull = isOmitted
    member.isRequired = !isOmitted && !schema.hasNaturalDefault
    if !isOmitted, schema.kind == .any, let empty = observed.place.emptyJSON {
      member.fallback = ConstantDeclaration(Array(empty.utf8))
    }
    return member
  }

  /// Adds a doubt about objects whose members may be the entries of a dictionary.
  private mutating func addDoubt(about members: [MemberDeclaration], _ place: Place) {
    guard !isOpen, members.count > 1, case .stored(let first) = members[0].source, case .structure = first.kind,
      members.allSatisfy({ $0.source == members[0].source })
    else { return }
    doubts.add(
      "objects with equal members; to let clients add members, replace “properties” by “additionalProperties” in the "
        + "model file", place.text)
  }
}

extension ScalarDeclaration.Form {
  /// The name of the values of a format; nil for other forms.
  fileprivate var noun: String? {
    switch self {
    case .uuid: "UUIDs"
    case .date: "dates"
    case .dateTime: "dates with a time"
    default: nil
    }
  }
}

extension ObservedPlace {
  /// A name of a member that no URL can address; nil if there is none.
  var unusableName: String? { members.first { !Pointer.isMemberName($0.name) }?.name }

  /// The empty array or object, if no other value was seen.
  fileprivate var emptyJSON: String? {
    if hasNull { return nil }
    if kinds == .array, element == nil { return "[]" }
    return kinds == .object && members.isEmpty ? "{}" : nil
  }

  /// The type of the ids of a collection, a description, and whether there can be ids for new elements; nil if the
  /// elements have no usable ids.
  fileprivate func id(_ place: Place) -> (form: ScalarDeclaration.Form, noun: String, canBeGenerated: Bool)? {
    // The element and its members need two more levels.
    guard hasIDs, let element, element.kinds == .object, !element.hasNull, element.unusableName == nil,
      place.level + 2 < DynamicModel.maximumDepth,
      let id = element.members.first(where: { $0.name == "id" })?.place
    else { return nil }
    switch id.kinds {
    case .number: return id.isInteger ? (.integer, "the ids are integers", id.leavesLargerIntegers) : nil
    case .string where id.strings.form == .uuid: return (.uuid, "the ids are UUIDs", true)
    case .string where id.strings.form == .date: return (.date, "the ids are dates", false)
    case .string: return (.string, "the ids are strings", true)
    default: return nil
    }
  }

  /// Why the values can only be free JSON values; nil if they have a type.
  fileprivate func reasonForAny(_ place: Place) -> String? {
    let levels = (hasNull ? 1 : 0) + (kinds.isSubset(of: [.boolean, .number, .string]) ? 1 : 2)
    if kinds.isEmpty { return "always null; any JSON value is allowed" }
    if kinds.rawValue.nonzeroBitCount > 1 { return "values of different types; any JSON value is allowed" }
    if place.level + levels > DynamicModel.maximumDepth { return "too many levels; any JSON value is allowed" }
    if kinds == .array, element == nil { return "always an empty list; any JSON value is allowed" }
    if kinds == .object, members.isEmpty { return "always an empty object; any JSON value is allowed" }
    if kinds == .object, unusableName != nil {
      return "a name that no URL can address; any JSON value is allowed"
    }
    if kinds == .number, !isInteger, hasWideInteger {
      return "fractions, and integers that no Double can express; any JSON value is allowed"
    }
    return nil
  }
}

extension SchemaDeclaration {
  /// Whether a new value may omit a member of this type without a declared default.
  fileprivate var hasNaturalDefault: Bool {
    switch kind {
    case .scalar, .union, .reference: false
    case .structure(let structure): structure.members.allSatisfy { !$0.isRequired }
    case .any, .optional, .list, .set, .collection, .dictionary: true
    }
  }
}
