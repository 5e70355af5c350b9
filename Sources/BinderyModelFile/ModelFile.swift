package import BinderyCore
import BinderyJSON

/// The text of a model: a strict subset of JSON Schema 2020-12, plus the keyword `x-bindery`.
package enum ModelFile {
  /// The maximum size of a model file, in bytes.
  package static let maximumBytes = 1 << 20
  /// The dialect that model files are written in.
  static let dialect = "https://json-schema.org/draft/2020-12/schema"

  /// Reads a model file.
  ///
  /// - Throws: ``ModelMistakes``: all mistakes that were found.
  package static func parse(_ text: [UInt8]) throws(ModelMistakes) -> ModelDeclaration {
    guard text.count <= maximumBytes else {
      throw ModelMistakes([ModelMistake("a model file has at most \(maximumBytes) bytes, got \(text.count)", at: "")])
    }
    let document: JSONDocument
    do throws(JSONSyntaxError) { document = try JSONDocument(parsing: text, maximumDepth: 256) } catch {
      let (line, column) = error.position(in: text)
      throw ModelMistakes([
        ModelMistake("invalid JSON: \(error.reason) in line \(line), column \(column)", at: "")
      ])
    }
    var parser = SchemaParser(document.root)
    let declaration = parser.model()
    guard parser.mistakes.isEmpty else { throw ModelMistakes(parser.mistakes) }
    return declaration
  }

  /// Reads a model file, and builds its model.
  ///
  /// - Throws: ``ModelMistakes``: all mistakes that were found.
  package static func model(_ text: [UInt8]) throws(ModelMistakes) -> DynamicModel {
    try DynamicModel(try parse(text))
  }
}
