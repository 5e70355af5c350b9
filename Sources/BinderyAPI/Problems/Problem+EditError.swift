import BinderyCore

extension Problem {
  /// What a refused edit is answered with.
  init(_ refusal: EditError) {
    switch refusal {
    case .absent(let absence): self.init(absence)
    case .invalid(let invalid): self.init(invalid)
    case .cannotCreate:
      self.init(.cannotCreate, "A step of the path is missing that cannot be made without more than was sent.")
    }
  }

  init(_ absence: Absence) {
    switch absence.reason {
    case .inactiveCase(let wanted, let active):
      self.init(.inactiveCase, "The case “\(wanted)” is not active; “\(active)” is.")
      activeCase = active
    case .nilOptional:
      self.init(.nilOptional, "An optional on the way is nil.")
    case .noSuchElement(let key):
      self.init(.noSuchElement, key.isEmpty ? "There is no such element." : "There is no element “\(key)”.")
    }
  }
}
