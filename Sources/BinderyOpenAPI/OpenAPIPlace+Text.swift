import BinderyCore
import BinderyHTTP

extension OpenAPIPlace {
  /// The description of the tag with the name of this place.
  var tagDescription: String {
    route.steps.isEmpty ? "The whole state." : phrase.asSentence + (origin.map { " " + $0 } ?? "")
  }

  /// Returns the summary of an operation.
  func summary(_ method: Method) -> String {
    switch method {
    case .patch where route.steps.isEmpty: "Change any values together with a JSON Patch"
    case .patch: "Change \(noun)"
    case .put where canBeCreated: isPayload ? "Replace or switch to \(noun)" : "Replace or create \(noun)"
    case .put: "Replace \(noun)"
    case .post: "Append to \(noun)"
    case .delete: route.isRemovable ? "Remove \(noun)" : "Set \(noun) to null"
    default: "Read \(noun)"
    }
  }

  /// Returns the description of an operation.
  func description(_ method: Method) -> String {
    switch method {
    case .patch: patchDescription
    case .put: putDescription + setterDescription
    case .post:
      "Appends an element and returns it, with its URL in `Location`. An omitted id is generated, and other omitted "
        + "members get their defaults." + setterDescription
    case .delete:
      route.isRemovable
        ? "Removes the \(isEntry ? "entry" : "element"). Changes nothing if it does not exist."
        : "Sets the value to null." + setterDescription
    default: "Returns \(phrase)." + readDescription
    }
  }

  private var isPayload: Bool { if case .payload? = route.steps.last { true } else { false } }

  private var isEntry: Bool { path.hasSuffix("Key}") }

  private var readDescription: String {
    let clauses = absences.isEmpty ? "" : " 404 if \(OpenAPIText.list(absences, "or"))."
    return (origin.map { " " + $0 } ?? "") + clauses
  }

  private var patchDescription: String {
    if route.steps.isEmpty {
      return """
        Applies all operations or none (RFC 6902). Pointers lead into the JSON of `GET \(path)`; an element is named \
        by its id, its index, or `-` for the end of a list.

        This URL also takes a merge patch as `application/json`, and every URL with a `PATCH` also takes a JSON Patch \
        as `application/json-patch+json`, with pointers relative to the URL.
        """
    }
    return Self.patchDescription(of: route.target) + setterDescription
  }

  private static func patchDescription(of type: TypeInfo) -> String {
    switch type.kind {
    case .product: "Changes the members that the body contains (RFC 7396)."
    case .sum: "Changes the payload of the active case, or switches to the case in the body."
    case .dictionary: "Adds or changes the entries that the body contains; null removes an entry (RFC 7396)."
    case .optional(let wrapped):
      switch wrapped.unwrapped.kind {
      case .product, .sum, .dictionary: patchDescription(of: wrapped.unwrapped) + " Null removes the value."
      default: "Replaces the value."
      }
    case .scalar, .elements, .array, .set: "Replaces the value."
    }
  }

  private var putDescription: String {
    guard canBeCreated else { return "Replaces the value." }
    return switch route.steps.last {
    case .payload?: "Replaces the payload, or switches to the case and returns 201."
    case .key?: "Replaces the \(isEntry ? "entry" : "element"), or adds it and returns 201."
    default: "Replaces the value, or creates it and returns 201."
    }
  }

  /// The sentence about the setter of a computed member.
  private var setterDescription: String {
    computed.map { " The setter of `\($0)` may adjust or drop it (`Write-Outcome`)." } ?? ""
  }
}
