import BinderyCore
import BinderyDigest
import BinderyJSON

/// Checks the laws of one type with random values and collects the results.
///
/// It uses the same operations as the HTTP API: resolve a path, read, merge (PATCH), replace (PUT) and remove (DELETE).
struct LawChecker<Value: Sendable, Random: RandomNumberGenerator> {
  let shape: EditableShape<Value>
  let key = DigestKey(secret: (0..<192).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
  var generator: Generator<Random>
  var report = LawReport()
  /// The last few values, for comparison with the next one.
  private var recent: [Value] = []
  /// The number of violations by law and detail. Only the first few are reported, because the same defect usually
  /// shows at many places.
  private var violationCounts: [String: Int] = [:]

  init(_ shape: EditableShape<Value>, random: Random) {
    self.shape = shape
    generator = Generator(random: random)
  }

  /// Returns a random value that satisfies the type's constraints; nil if 20 attempts did not find one.
  mutating func generateValue() -> Value? {
    for _ in 0..<20 {
      report.generated += 1
      guard let value = decode(generator.value(of: shape.type)) else { continue }
      report.accepted += 1
      return value
    }
    return nil
  }

  /// Checks all laws with a value: reading at every place, writing at a random sample of 24 places.
  ///
  /// - Parameter isSample: The value was passed by the caller, so it may have hidden members that JSON cannot express.
  mutating func check(_ value: Value, isSample: Bool = false) {
    guard let tree = JSONTree(parsing: bytes(value)) else {
      return addViolation(.codec, "encode returned invalid JSON", [text(value)])
    }
    let list = LawTargetList(of: shape.type, tree: tree, generator: generator)
    generator = list.generator
    let targets = list.targets
    checkCodec(value, isSample: isSample)
    checkSlices(value)
    for target in targets { checkReading(value, tree, target) }
    let sample = targets.shuffled(using: &generator.random).prefix(24)
    for target in sample {
      guard let route = route(to: target), route.isWritable else { continue }
      if target.tree == nil {
        checkAbsence(value, target, route)
      } else if !target.isComputed {
        checkMember(value, target, route)
        checkMerge(value, target, route, targets)
        checkCases(value, target, route)
        checkOptional(value, target, route)
      }
      if target.isComputed { checkSetter(value, target, route) }
    }
    for target in sample where !target.isComputed { checkSources(value, tree, target) }
    for other in recent.suffix(4) { checkEquality(value, other) }
    checkStorage(value, recent.last ?? value)
    recent = recent.suffix(3) + [value]
  }

  // MARK: Operations

  /// Returns the canonical JSON of a value.
  func bytes(_ value: Value) -> [UInt8] { shape.json(value) }

  /// ``bytes(_:)`` as a string.
  func text(_ value: Value) -> String { String(decoding: bytes(value), as: UTF8.self) }

  /// Returns the value of a complete JSON tree; nil if the type rejects it.
  func decode(_ tree: JSONTree) -> Value? {
    guard let document = try? JSONDocument(parsing: tree.bytes) else { return nil }
    var decoding = Decoding(.complete)
    return try? shape.decode(document.root, &decoding)
  }

  func route(to target: LawTarget) -> Route? { resolve(target.segments, isPositional: target.isPositional) }

  func resolve(_ segments: [String], isPositional: Bool) -> Route? {
    Route.root(shape.type).resolving(segments, form: isPositional ? .pointer : .url)
  }

  /// Returns the canonical JSON at a place.
  func read(_ value: Value, _ route: Route) -> Result<[UInt8], Absence> {
    var reading = ReadOperation(.json, key: key)
    do throws(Absence) { try shape.visit(value, route, 0, &reading) } catch { return .failure(error) }
    return .success(reading.writer.bytes)
  }

  /// Returns the JSON tree at a place; nil if the place is absent.
  func tree(_ value: Value, _ route: Route) -> JSONTree? {
    (try? read(value, route).get()).flatMap { JSONTree(parsing: $0) }
  }

  /// The HTTP methods that write.
  enum Verb { case patch, put, delete }

  /// Returns the value after a write, or the reason for its rejection.
  func write(_ verb: Verb, _ tree: JSONTree = .null, to value: Value, _ route: Route) -> Result<Value, EditError> {
    guard let document = try? JSONDocument(parsing: tree.bytes) else { return .failure(.cannotCreate(depth: 0)) }
    var edit =
      switch verb {
      case .patch: Edit(.merge(document.root), along: route)
      case .put: Edit(.replace(document.root), requiredSteps: 0, along: route)
      case .delete: Edit(.remove, along: route)
      }
    var draft = value
    do throws(EditError) { try shape.apply(&draft, route, 0, &edit) } catch { return .failure(error) }
    // Read-only members in a request body must agree with the result.
    for echo in edit.echoes {
      var reading = ReadOperation(.equality(echo.node), key: key)
      let route = Route(steps: echo.steps, target: shape.type, isWritable: true, isRemovable: false)
      try? shape.visit(draft, route, 0, &reading)
      guard reading.isEqual else {
        return .failure(.invalid(ValidationError(.readOnlyMember, "read-only member differs")))
      }
    }
    return .success(draft)
  }

  /// Returns the value after a write; nil if the write was rejected.
  func writtenValue(_ verb: Verb, _ tree: JSONTree = .null, to value: Value, _ route: Route) -> Value? {
    try? write(verb, tree, to: value, route).get()
  }

  // MARK: Results

  /// Counts a check of a law.
  mutating func countCheck(_ law: Law) { report.checkCounts[law, default: 0] += 1 }

  /// Adds a violation to the report, if it is one of the first three of its kind.
  mutating func addViolation(_ law: Law, at path: String = "", _ detail: String, _ values: [String]) {
    let count = violationCounts["\(law) \(detail)", default: 0]
    violationCounts["\(law) \(detail)"] = count + 1
    if count < 3 { report.violations.append(LawViolation(law: law, path: path, detail: detail, values: values)) }
  }

  /// Counts a check of a law and adds a violation if the law does not hold.
  mutating func expect(
    _ holds: Bool, _ law: Law, _ target: LawTarget, _ detail: String, _ value: Value, _ trees: JSONTree...
  ) {
    countCheck(law)
    if !holds { addViolation(law, at: target.path, detail, [text(value)] + trees.map(\.text)) }
  }
}

extension JSONTree {
  /// Parses bytes; nil if they are not valid JSON.
  init?(parsing bytes: [UInt8]) {
    guard let document = try? JSONDocument(parsing: bytes, maximumDepth: 1000) else { return nil }
    self.init(document.root)
  }
}
