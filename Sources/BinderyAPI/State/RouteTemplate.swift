import BinderyCore
import BinderyText

/// The common part of all routes with one URL template, such as `/state/dishes/{id}/name`. The routes differ only in
/// their keys.
///
/// The templates that clients of one event loop have requested are a tree: each has those with one more segment. So the
/// path of another element is resolved by comparing its segments and parsing its keys. The number of templates depends
/// on the types only. Confined to the loop.
final class RouteTemplate {
  /// A route with this template.
  private let route: Route
  /// The segments after `/state`.
  private let segments: [Segment]
  /// The description of the keys that can follow.
  private let keyInfo: KeyInfo?
  let allowed: AllowedMethods
  private let loop: LoopMetrics
  private var knownMetrics: RouteMetrics?
  /// The templates after the name of a member or a case, or after `some`, in the order of the bytes of the names.
  private var named: [Named] = []
  /// The template after a key.
  private var keyed: RouteTemplate?

  private enum Segment {
    case name(String)
    /// The placeholder of a key: `{id}` or `{key}`.
    case key(String)
  }

  private struct Named {
    let name: [UInt8]
    let template: RouteTemplate

    func isSame(as segment: Span<UInt8>) -> Bool { name.span.hasSameBytes(as: segment) }
    func precedes(_ segment: Span<UInt8>) -> Bool { name.span.precedes(segment) }
  }

  /// Creates the template of the whole state.
  ///
  /// - Parameter route: The route without steps.
  convenience init(_ route: Route, _ loop: LoopMetrics) { self.init(route, [], loop) }

  private init(_ route: Route, _ segments: [Segment], _ loop: LoopMetrics) {
    self.route = route
    self.segments = segments
    keyInfo = route.keyInfo
    allowed = AllowedMethods(route)
    self.loop = loop
  }

  /// The request metrics of the template. Created when they are first used, so that there are none for a template that
  /// is only on the way to another.
  var metrics: RouteMetrics {
    if let knownMetrics { return knownMetrics }
    let metrics = loop.route(text)
    knownMetrics = metrics
    return metrics
  }

  /// The URL path with placeholders. The types bound the number of templates, so these are safe as metric labels.
  private var text: String {
    segments.reduce("/state") { text, segment in
      switch segment {
      case .name(let name): text + RequestTarget.path([name])
      case .key(let placeholder): text + "/" + placeholder
      }
    }
  }

  /// Returns the route with this template and other keys.
  func route(with keys: RouteKeys) -> Route { route.with(keys) }

  /// Returns the decoded segments after `/state` of a route with this template.
  func segments(of route: Route) -> [String] {
    var keys = route.steps.lazy.compactMap { step in if case .key(let key) = step { key } else { nil } }.makeIterator()
    return segments.map { segment in if case .name(let name) = segment { name } else { keys.next()?.text ?? "" } }
  }

  /// Resolves the rest of a path that contains nothing to decode.
  ///
  /// - Parameters:
  ///   - path: The segments after this template, with a slash before each.
  ///   - keys: The keys in the path are appended to it.
  /// - Returns: nil if the types have no such place, or a segment is empty or needs decoding.
  func resolve(plain path: Span<UInt8>, _ keys: inout RouteKeys) -> RouteTemplate? {
    guard !path.isEmpty else { return self }
    guard path[0] == UInt8(ascii: "/") else { return nil }
    let rest = path.extracting(droppingFirst: 1)
    guard let length = RequestTarget.plainSegmentLength(rest), length > 0,
      let next = appending(rest.extracting(first: length), &keys)
    else { return nil }
    return next.resolve(plain: rest.extracting(droppingFirst: length), &keys)
  }

  /// Returns the template with a segment appended; nil if the types have no such place.
  ///
  /// - Parameter keys: The key in the segment is appended to it, if it is one.
  func appending(_ segment: Span<UInt8>, _ keys: inout RouteKeys) -> RouteTemplate? {
    let index = position(of: segment)
    if index < named.count, named[index].isSame(as: segment) { return named[index].template }
    if let keyed, let keyInfo {
      guard let key = keyInfo.parse(segment) else { return nil }
      keys.append(key)
      return keyed
    }
    return add(segment, &keys)
  }

  /// Returns the index of a name, or where to insert it.
  private func position(of name: Span<UInt8>) -> Int {
    var (start, end) = (0, named.count)
    while start < end {
      let middle = (start + end) / 2
      if named[middle].precedes(name) { start = middle + 1 } else { end = middle }
    }
    return start
  }

  /// Adds the template with a segment appended, unless it is a key and there is the template for all of them.
  private func add(_ segment: Span<UInt8>, _ keys: inout RouteKeys) -> RouteTemplate? {
    guard let longer = route.resolving(segment: segment) else { return nil }
    guard case .key(let key)? = longer.steps.last else {
      let name = String(decoding: Array(copying: segment), as: UTF8.self)
      let template = RouteTemplate(longer, segments + [.name(name)], loop)
      named.insert(Named(name: Array(copying: segment), template: template), at: position(of: segment))
      return template
    }
    let placeholder = if case .elements = route.target.unwrapped.kind { "{id}" } else { "{key}" }
    let template = keyed ?? RouteTemplate(longer, segments + [.key(placeholder)], loop)
    keyed = template
    keys.append(key)
    return template
  }
}
