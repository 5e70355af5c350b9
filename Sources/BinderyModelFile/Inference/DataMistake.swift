import BinderyCore
import BinderyJSON

extension JSONNode {
  /// The first value that no model can contain unchanged; nil if there is none.
  ///
  /// - Parameter pointer: The place of this value, as a JSON Pointer.
  func dataMistake(at pointer: String = "") -> ModelMistake? {
    switch kind {
    case .null, .bool, .string: return nil
    case .number: return numberMistake(at: pointer)
    case .array:
      for (index, element) in elements.enumerated() {
        if let mistake = element.dataMistake(at: "\(pointer)/\(index)") { return mistake }
      }
      return nil
    case .object:
      var names: Set<[UInt8]> = []
      for (key, value) in members {
        let name = key.string ?? ""
        let place = pointer + "/" + Pointer.escaped(name)
        guard names.insert(Array(name.utf8)).inserted else {
          return ModelMistake("duplicate member “\(name)”: remove one of them", at: place)
        }
        if let mistake = value.dataMistake(at: place) { return mistake }
      }
      return nil
    }
  }

  /// A number that is not an `Int64` is read as a `Double`.
  private func numberMistake(at pointer: String) -> ModelMistake? {
    if case .value = integer() { return nil }
    guard double != nil else {
      return ModelMistake("\(excerpt(maximum: 40)) is too large for a Double: write it as a string", at: pointer)
    }
    guard isRoundedInteger else { return nil }
    return ModelMistake(
      "\(excerpt(maximum: 40)) has more digits than an integer of 64 bits or a Double: write it as a string",
      at: pointer)
  }
}
