import BinderyJSON

/// Checks of a declaration, which stop the process with a message. They run once, when the shape is created.
extension EnumShape {
  /// Stops the process if the declaration is wrong in a way that the compiler cannot see.
  @usableFromInline
  func requireConsistency() {
    for name in cases.map(\.info.name) where !Pointer.isMemberName(name) {
      fatalError("The shape of \(Value.self) has a case named “\(name)”, which no URL can address. Rename it.")
    }
    if let duplicate = cases.map(\.info.name).firstDuplicate {
      fatalError("The shape of \(Value.self) has two cases named “\(duplicate)”. Rename one of them.")
    }
    for index in cases.indices { requireActive(index) }
    if let type = Value.self as? any CaseIterable.Type { requireAll(of: type) }
  }

  /// A value that a case creates must be in that case alone.
  ///
  /// Payloads whose constraints reject the examples are not checked.
  private func requireActive(_ index: Int) {
    guard let value = example(of: cases[index]) else { return }
    let name = cases[index].info.name
    guard cases[index].isActive(value) else {
      fatalError(
        """
        The case “\(name)” of \(Value.self) does not recognize its own values. Its closure must return the payload of \
        this case, and nil for other cases.
        """)
    }
    for other in cases where other !== cases[index] && other.isActive(value) {
      fatalError(
        """
        The shape of \(Value.self) cannot tell the cases “\(name)” and “\(other.info.name)” apart. Each needs its own \
        value and a closure that returns nil for other cases, or an == that distinguishes them.
        """)
    }
  }

  private func example(of table: CaseTable<Value>) -> Value? {
    var decoding = Decoding(.creating)
    guard let payload = table.info.payload else { return try? table.decode(nil, &decoding) }
    return payload.examples.lazy.compactMap { text -> Value? in
      guard let document = try? JSONDocument(parsing: Array(text.utf8)) else { return nil }
      var decoding = Decoding(.creating)
      return try? table.decode(document.root, &decoding)
    }.first
  }

  /// The shape must list all cases. Only those of an enum that is `CaseIterable` are known.
  private func requireAll<Cases: CaseIterable>(of _: Cases.Type) {
    // An enum with payloads may have a list of any length.
    for value in Cases.allCases.prefix(1_000) {
      guard let value = value as? Value, active(value) == nil else { continue }
      fatalError("The shape of \(Value.self) does not list the case “\(caseName(of: value))”. Add it to the shape.")
    }
  }
}
