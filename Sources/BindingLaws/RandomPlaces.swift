package import BinderyCore
import BinderyJSON

/// Random values of types, and the places in them: for tests of whole services with generated models.
package struct RandomPlaces<Random: RandomNumberGenerator> {
  private var generator: Generator<Random>

  /// Creates a source of values that are like those of ``lawReport(of:samples:rounds:using:)``.
  package init(random: Random) { generator = Generator(random: random) }

  /// Returns a random value in JSON, without computed members. A few violate the constraints of the type.
  package mutating func json(of type: TypeInfo) -> String { generator.value(of: type).text }

  /// Returns all places in a value that have URLs, and some absent ones next to them, as path segments.
  ///
  /// - Parameter json: A value of the type in JSON.
  package mutating func places(of type: TypeInfo, in json: [UInt8]) -> [(segments: [String], type: TypeInfo)] {
    guard let tree = JSONTree(parsing: json) else { return [] }
    let list = LawTargetList(of: type, tree: tree, generator: generator)
    generator = list.generator
    return list.targets.filter { !$0.isPositional }.map { ($0.segments, $0.type) }
  }
}
