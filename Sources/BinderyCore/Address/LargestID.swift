/// The names of the hidden members that keep the largest generated id of a collection.
///
/// No member that a type does not declare has such a name: the type may have had the collection before, or have it
/// later.
enum LargestID {
  private static let end = "#last"

  /// Returns the name of the hidden member beside a collection.
  static func name(beside collection: String) -> String { collection + end }

  /// Returns whether a name can be that of such a member.
  static func isName(_ name: String) -> Bool { name.hasSuffix(end) }
}
