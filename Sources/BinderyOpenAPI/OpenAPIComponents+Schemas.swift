import BinderyAPI

extension OpenAPIComponents {
  /// RFC 9457, with the members that this service adds.
  static var problem: OpenAPINode {
    [
      "type": "object",
      "description": "What went wrong (RFC 9457). The type leads to a page that says more.",
      "properties": [
        "type": [
          "type": "string", "format": "uri-reference",
          "enum": .texts(ProblemKind.allCases.map { "/problems/" + $0.rawValue }),
        ],
        "title": ["type": "string", "description": "The same for every problem of the type."],
        "status": ["type": "integer", "minimum": 400, "maximum": 599],
        "detail": ["type": "string", "description": "What went wrong this time."],
        "pointer": [
          "type": "string", "format": "json-pointer", "description": "Where in what was sent (RFC 6901).",
        ],
        "expected": ["type": "string", "description": "What would have fitted."],
        "operation": ["type": "integer", "minimum": 0, "description": "Which operation of a JSON Patch, from 0."],
        "activeCase": ["type": "string", "description": "The case that is active."],
        "cases": ["type": "array", "items": ["type": "string"], "description": "All cases of the enum."],
        "curl": ["type": "string", "description": "A command that does what was probably meant."],
        "currentETag": ["type": "string", "description": "The entity tag of the value that is there."],
        "current": ["description": "The value that is there, where it has at most 64 KiB."],
      ],
      "required": ["type", "title", "status", "detail"],
    ]
  }

  /// RFC 6902.
  static var patch: OpenAPINode {
    [
      "type": "array",
      "description": """
      Operations that are carried out together or not at all (RFC 6902). Pointers are relative to the place; an \
      element is named by its id, its index or `-`.
      """,
      "maxItems": .number(String(PatchDocument.maximumOperations)),
      "items": [
        "oneOf": [
          operation(["add", "replace", "test"], ["value"]), operation(["remove"], []),
          operation(["move", "copy"], ["from"]),
        ]
      ],
    ]
  }

  private static func operation(_ names: [String], _ more: [String]) -> OpenAPINode {
    let pointer: OpenAPINode = ["type": "string", "format": "json-pointer", "pattern": "^(/([^/~]|~[01])*)*$"]
    return [
      "type": "object",
      "properties": [
        "op": ["type": "string", "enum": .texts(names)], "path": pointer,
        "from": more.contains("from") ? pointer : nil, "value": more.contains("value") ? [:] : nil,
      ],
      "required": .texts(["op", "path"] + more),
    ]
  }
}
