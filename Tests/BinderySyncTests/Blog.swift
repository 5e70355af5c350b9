import BinderyCore
import BinderyJSON
import BinderyModelFile

/// A model with each kind of place that a data file has.
enum Blog {
  /// The model file.
  private static let text = """
    {
      "title": "Blog",
      "type": "object",
      "properties": {
        "title": {"type": "string", "maxLength": 40},
        "posts": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "id": {"type": "integer", "x-bindery": {"generated": true}},
              "title": {"type": "string", "minLength": 1},
              "views": {"type": "number", "minimum": 0},
              "at": {"type": ["string", "null"], "format": "date-time"},
              "author": {"type": "string", "readOnly": true}
            },
            "required": ["title", "views", "author"],
            "x-bindery": {"id": "id"}
          }
        },
        "settings": {
          "type": "object",
          "additionalProperties": {"type": "integer"}
        },
        "tags": {"type": "array", "items": {"type": "string"}, "x-bindery": {"addressable": false}},
        "labels": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "notes": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "id": {"type": "string", "x-bindery": {"generated": true}},
              "text": {"type": "string"}
            },
            "required": ["text"],
            "x-bindery": {"id": "id"}
          }
        },
        "free": true,
        "count": {"x-bindery": {"count": "/posts"}}
      },
      "required": ["title", "posts", "settings", "tags", "labels", "free"]
    }
    """
  static let model: DynamicModel = {
    do { return try ModelFile.model(Array(text.utf8)) } catch { fatalError("\(error)") }
  }()
  static var shape: EditableShape<DynamicValue> { model.definition.shape }

  /// Returns a state from JSON.
  static func state(_ json: String) throws -> DynamicValue {
    try model.initialState(try JSONDocument(parsing: Array(json.utf8)).root)
  }

  /// The data of a file as a person may have written it.
  static let data = """
    {
      "posts": [
        { "title": "One", "id": 1, "views": 1.50, "at": "2026-01-01T00:00:00Z", "author": "Ann" },
        { "title": "Two", "id": 2, "views": 1e3, "at": null, "author": "Ann" }
      ],
      "title": "Caf\\u00e9",
      "tags": ["a",  "b"],
      "labels": ["y", "x"],
      "notes": [],
      "settings": {"zoom": 3, "alpha": 1},
      "free": {"z": [1, 2], "a": {}}
    }

    """
}
