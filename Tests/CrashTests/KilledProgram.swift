import BinderyTestKit

/// A program that is killed while clients write one number to two places of its model.
struct KilledProgram: Sendable, CustomStringConvertible {
  /// The name of the executable.
  let executable: String
  /// Returns the path of the value of a writer.
  let path: @Sendable (_ writer: Int) -> String
  /// Returns a value with a number in two places, as JSON.
  let value: @Sendable (_ writer: Int, _ number: Int) -> String
  /// Returns a JSON Patch that puts a number in both places.
  let patch: @Sendable (_ number: Int) -> String
  /// Returns the number in a value; nil if the places disagree.
  let number: @Sendable (Reply) -> Int?

  var description: String { executable }

  static let menu = KilledProgram(
    executable: "bindery", path: Ledger.path, value: Ledger.dish, patch: Ledger.patch, number: Ledger.number)

  /// A program with another model, made with the public API only.
  static let stranger = KilledProgram(
    executable: "StrangerCommand", path: { "/state/marks/writer-\($0)" },
    value: { #"{"count":\#($1),"note":"note \#($1)"}"# },
    patch: { number in
      """
      [{"op":"replace","path":"/count","value":\(number)},{"op":"replace","path":"/note","value":"note \(number)"}]
      """
    },
    number: { reply in
      guard let count = reply.member("count"), reply.string("note") == "note \(count)" else { return nil }
      return Int(count)
    })
}
