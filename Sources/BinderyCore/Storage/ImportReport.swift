/// The errors in a state file, collected while it is decoded, and which hidden members the file has.
@usableFromInline
package final class ImportReport {
  /// The number of errors that are kept. Further ones are only counted.
  static let limit = 20

  /// The first errors, with pointers into the file.
  private(set) var errors: [ValidationError] = []
  /// The number of errors.
  private(set) var count = 0
  /// The segments of the pointer to the value that is being decoded.
  @usableFromInline var path: [String] = []
  /// Whether a value in the file has a hidden member.
  var hasHidden = false
  /// Whether a value in the file lacks a hidden member.
  var lacksHidden = false

  /// Creates an empty report.
  init() {}

  /// Records an error, unless it stands for errors that are recorded already.
  ///
  /// - Parameter error: the error, with a pointer from the value that is being decoded.
  @usableFromInline
  func record(_ error: ValidationError) {
    if error.isRecorded { return }
    count += 1
    if errors.count < Self.limit { errors.append(error.under(path)) }
  }
}

extension ValidationError {
  /// The error that is thrown instead of the errors that a report contains.
  @usableFromInline static var recorded: ValidationError { ValidationError(.value, "see the report") }

  fileprivate var isRecorded: Bool { detail == Self.recorded.detail }
}

/// The problems of a state file, at most ``ImportReport/limit`` of them.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A line for each problem, which begins with a JSON Pointer into the file unless it concerns the whole file.
  package let description: String

  /// Creates the error for problems of the values in a file.
  init(_ report: ImportReport) {
    var lines = report.errors.map { Self.line($0.sentence, at: $0.pointer) }
    let more = report.count - lines.count
    if more > 0 { lines.append("and \(more) more") }
    description = lines.joined(separator: "\n")
  }

  /// Creates the error for a file that contains no JSON.
  init(_ error: RestoreError) { description = Self.line(error.reason, at: error.pointer) }

  private static func line(_ problem: String, at pointer: String) -> String {
    pointer.isEmpty ? problem : "\(pointer): \(problem)"
  }
}
