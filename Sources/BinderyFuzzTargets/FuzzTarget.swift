/// What a fuzzer can be let loose on.
///
/// Each target takes any bytes, checks what must hold for them, and keeps nothing between two calls.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// Requests as a connection reads them, however they are cut.
  case messages
  /// A chunked body behind a head that is well-formed.
  case chunks
  /// A JSON text.
  case json
  /// JSON for the values of the menu.
  case model
  /// A path and a query, and a JSON Pointer.
  case paths
  /// The field lines of a request: conditions, preferences, what is accepted.
  case fields
  /// A JSON Patch.
  case patches
  /// Requests in a form that a mutation does not easily break, framed afterwards.
  case requests
  /// The bytes of a connection, from request to response, against the menu.
  case exchange

  /// Takes these bytes.
  ///
  /// - Throws: ``Finding`` where something does not hold.
  public func run(_ input: [UInt8]) throws(Finding) {
    switch self {
    case .messages: try Messages.run(input)
    case .chunks: try Chunks.run(input)
    case .json: try Texts.run(input)
    case .model: try Values.run(input)
    case .paths: try Paths.run(input)
    case .fields: try Fields.run(input)
    case .patches: try Patches.run(input)
    case .requests: try Exchanges.run(Script(input).bytes)
    case .exchange: try Exchanges.run(input)
    }
  }
}

/// Something that does not hold.
public struct Finding: Error, Sendable, CustomStringConvertible {
  /// What it is, for people.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a finding where something does not hold.
func expect(_ holds: Bool, _ description: @autoclosure () -> String) throws(Finding) {
  if !holds { throw Finding(description()) }
}

/// What a closure returns; any error of it is a finding.
func attempt<T>(_ what: @autoclosure () -> String, _ body: () throws -> T) throws(Finding) -> T {
  do { return try body() } catch let finding as Finding { throw finding } catch { throw Finding("\(what()): \(error)") }
}

extension Sequence<UInt8> {
  /// As text, ill-formed UTF-8 replaced.
  var text: String { String(decoding: Array(self), as: UTF8.self) }
}

extension [UInt8] {
  /// The bytes in pieces of this size; the last may be shorter.
  func pieces(of size: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
