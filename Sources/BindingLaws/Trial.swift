import BinderyCore
import BinderyDigest
import BinderyJSON

/// One run of the laws over a type: the values made, the verbs as a user has them, and what came of it.
struct Trial<Model: Bindable, Random: RandomNumberGenerator> {
  let shape = Model.shape
  let key = DigestKey(secret: (0..<192).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
  var generator: Generator<Random>
  var report = LawReport()
  /// The last values, to be compared with each other.
  private var recent: [Model] = []
  /// What was said already, with how often: the same fault is told a few times, not at every place.
  private var told: [String: Int] = [:]

  init(random: Random) { generator = Generator(random: random) }

  mutating func makeValue() -> Model? {
    // Where few pass, more are tried.
    for _ in 0..<20 {
      report.generated += 1
      guard let value = decode(generator.value(of: shape.type)) else { continue }
      report.accepted += 1
      return value
    }
    return nil
  }

  mutating func run(on value: Model, isSample: Bool = false) {
    guard let tree = JSONTree(parsing: bytes(value)) else {
      return report(.codec, [], "the encoding is not JSON", String(decoding: bytes(value), as: UTF8.self))
    }
    let list = SiteList(of: shape.type, tree: tree, generator: generator)
    generator = list.generator
    let sites = list.sites
    checkCodec(value, isSample: isSample)
    checkSlices(value)
    for site in sites { checkReading(value, tree, site) }
    let some = sites.shuffled(using: &generator.random).prefix(24)
    for site in some {
      guard let route = route(to: site), route.isWritable else { continue }
      if site.tree == nil {
        checkAbsence(value, site, route)
      } else if !site.isComputed {
        checkMember(value, site, route)
        checkMerge(value, site, route, sites)
        checkCases(value, site, route)
        checkOptional(value, site, route)
      }
      if site.isComputed { checkSetter(value, site, route) }
    }
    for site in some where !site.isComputed { checkSources(value, tree, site) }
    for other in recent.suffix(4) { checkEquality(value, other) }
    checkKeeping(value, recent.last ?? value)
    recent = recent.suffix(3) + [value]
  }

  // MARK: Verbs

  func bytes(_ value: Model) -> [UInt8] {
    var writer = JSONWriter()
    shape.encode(value, into: &writer)
    return writer.bytes
  }

  func decode(_ tree: JSONTree) -> Model? {
    guard let document = try? JSONDocument(parsing: tree.bytes) else { return nil }
    var decoding = Decoding(.complete)
    return try? shape.decode(document.root, &decoding)
  }

  func route(to site: Site) -> Route? { resolve(site.segments, isPositional: site.isPositional) }

  func resolve(_ segments: [String], isPositional: Bool) -> Route? {
    Route.root(shape.type).resolving(segments, form: isPositional ? .pointer : .url)
  }

  func read(_ value: Model, _ route: Route) -> Result<[UInt8], Absence> {
    var reading = ReadOperation(.json, key: key)
    do throws(Absence) { try shape.visit(value, route, 0, &reading) } catch { return .failure(error) }
    return .success(reading.writer.bytes)
  }

  func tree(_ value: Model, _ route: Route) -> JSONTree? {
    (try? read(value, route).get()).flatMap { JSONTree(parsing: $0) }
  }

  enum Verb { case patch, put, delete }

  /// The value after a write, or why there is none.
  func write(_ verb: Verb, _ tree: JSONTree = .null, to value: Model, _ route: Route) -> Result<Model, EditError> {
    guard let document = try? JSONDocument(parsing: tree.bytes) else { return .failure(.cannotCreate(depth: 0)) }
    var edit =
      switch verb {
      case .patch: Edit(.merge(document.root), along: route)
      case .put: Edit(.replace(document.root), mayCreate: true, along: route)
      case .delete: Edit(.remove, along: route)
      }
    var draft = value
    do throws(EditError) { try shape.apply(&draft, route, 0, &edit) } catch { return .failure(error) }
    for echo in edit.echoes {
      var reading = ReadOperation(.equality(echo.node), key: key)
      let there = Route(steps: echo.steps, target: shape.type, isWritable: true, isRemovable: false)
      try? shape.visit(draft, there, 0, &reading)
      guard reading.isEqual else {
        return .failure(.invalid(ValidationError(.readOnlyMember, "it says something else")))
      }
    }
    return .success(draft)
  }

  /// The value after a write, where it is taken.
  func written(_ verb: Verb, _ tree: JSONTree = .null, to value: Model, _ route: Route) -> Model? {
    try? write(verb, tree, to: value, route).get()
  }

  // MARK: Findings

  mutating func tried(_ law: Law) { report.trials[law, default: 0] += 1 }

  mutating func report(_ law: Law, _ segments: [String], _ detail: String, _ values: String...) {
    let told = told["\(law) \(detail)", default: 0]
    self.told["\(law) \(detail)"] = told + 1
    guard told < 3 else { return }
    report.violations.append(LawViolation(law: law, path: Pointer.text(segments), detail: detail, values: values))
  }

  mutating func expect(
    _ holds: Bool, _ law: Law, _ site: Site, _ detail: String, _ value: Model, _ trees: JSONTree...
  ) {
    tried(law)
    guard !holds else { return }
    let told = told["\(law) \(detail)", default: 0]
    self.told["\(law) \(detail)"] = told + 1
    guard told < 3 else { return }
    let values = [String(decoding: bytes(value), as: UTF8.self)] + trees.map(\.text)
    report.violations.append(LawViolation(law: law, path: site.path, detail: detail, values: values))
  }
}

extension JSONTree {
  init?(parsing bytes: [UInt8]) {
    guard let document = try? JSONDocument(parsing: bytes, maximumDepth: 1000) else { return nil }
    self.init(document.root)
  }
}
