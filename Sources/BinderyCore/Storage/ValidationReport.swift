/// The mistakes in the JSON of a whole state, collected while it is decoded and checked.
///
/// Decoding otherwise ends at the first mistake.
@usableFromInline
package final class ValidationReport {
  /// The origin of the JSON.
  package enum Source: Sendable {
    /// A state file: the storage format, or what a client reads. Computed members must have the value that the stored
    /// members give, and unknown members are mistakes. Every mistake is reported at its place in the file.
    case file
    /// The storage format, which another version of the model may have written. Unknown members are dropped. Equal
    /// places of all elements are reported together.
    case store
  }

  /// A place in the types, or in a file, with the values there.
  private struct Place {
    /// A JSON Pointer; in a store with `*` for all elements and entries.
    let pointer: String
    /// The pointer of the first value.
    let first: String
    /// The first mistake.
    let reason: String
    /// The number of values.
    var count = 1

    /// The number of values, and the pointer of the first one unless it is the place.
    var values: String {
      if count > 1 { return " (\(count) values, the first at \(first))" }
      return first == pointer ? "" : " (at \(first))"
    }
  }

  /// Places in the order in which they were found.
  private struct Places {
    private(set) var list: [Place] = []
    /// The number of places that are not in the list.
    private(set) var others = 0
    private var indices: [String: Int] = [:]

    mutating func add(_ reason: String, at pointer: String, first: String, isGrouped: Bool) {
      if isGrouped {
        if let index = indices[pointer] {
          list[index].count += 1
          return
        }
        indices[pointer] = list.count
      } else if list.count == ValidationReport.maximumLines {
        // A file may have a mistake in each of a million values.
        others += 1
        return
      }
      list.append(Place(pointer: pointer, first: first, reason: reason))
    }
  }

  /// The maximum number of lines for mistakes, apart from the last one, which counts the others.
  static let maximumLines = 20

  let source: Source
  /// The names of the parts on the path to the value that is being decoded, with those that types have for them.
  private var path: [(name: String, pattern: String)] = []
  private var mistakes = Places()
  private var dropped = Places()
  /// Whether a value in a file has a hidden member.
  var hasHidden = false
  /// Whether a value in a file lacks a hidden member.
  var lacksHidden = false

  /// Creates an empty report.
  init(of source: Source) { self.source = source }

  /// Whether there are no mistakes.
  var isEmpty: Bool { mistakes.list.isEmpty }

  /// Continues in a part of the current value.
  @usableFromInline
  func enter(_ name: String, isElement: Bool) { path.append((name, isElement ? "*" : name)) }

  /// Returns to the value that contains the current one.
  @usableFromInline
  func leave() { path.removeLast() }

  /// Records a mistake, unless it stands for mistakes that are recorded already.
  ///
  /// - Parameter error: The mistake, with a pointer from the value that is being decoded.
  @usableFromInline
  func record(_ error: ValidationError) {
    record(error, at: error.under(path.map(\.pattern)).pointer)
  }

  private func record(_ error: ValidationError, at pattern: String) {
    if error.isRecorded { return }
    let first = error.under(path.map(\.name)).pointer
    switch source {
    case .file: mistakes.add(error.sentence, at: first, first: first, isGrouped: false)
    case .store:
      let reason = error.code == .missingMember ? error.sentence : "\(error.sentence); \(Self.adviceOnValue)"
      mistakes.add(reason, at: pattern, first: first, isGrouped: true)
    }
  }

  private static var adviceOnValue: String {
    "change the value with the previous model first, or let the model accept it"
  }

  /// Records that the model rejects the decoded state.
  ///
  /// - Parameter place: The pointer to report in a store, with `*` for elements and entries.
  func record(_ error: InvalidState, at place: String) {
    record(ValidationError(.value, error.message).under(Pointer.segments(of: error.pointer) ?? []), at: place)
  }

  /// Records a member that the type does not store.
  func recordUnknown(_ name: String, _ error: @autoclosure () -> ValidationError) {
    switch source {
    case .file: record(error())
    case .store:
      let pattern = Pointer.text(path.map(\.pattern) + [name])
      dropped.add("", at: pattern, first: pattern, isGrouped: true)
    }
  }

  /// One line for each of the first mistakes, and a line with the number of the others.
  ///
  /// A line begins with a JSON Pointer, unless it concerns the whole state.
  package var lines: [String] {
    var lines = mistakes.list.prefix(Self.maximumLines).map { place in
      (place.pointer.isEmpty ? "" : "\(place.pointer): ") + place.reason + place.values
    }
    let others = mistakes.list.count - lines.count + mistakes.others
    if others > 0 { lines.append("and \(others) more mistake\(others == 1 ? "" : "s")") }
    return lines
  }

  /// One line for each member whose values are dropped.
  package var droppedLines: [String] {
    dropped.list.map { "\($0.pointer) (\($0.count) value\($0.count == 1 ? "" : "s") dropped)" }
  }
}

extension ValidationError {
  /// The error that is thrown instead of the errors that a report contains.
  @usableFromInline static var recorded: ValidationError { ValidationError(.value, "see the report") }

  fileprivate var isRecorded: Bool { detail == Self.recorded.detail }
}
