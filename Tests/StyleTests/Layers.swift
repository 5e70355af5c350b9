/// The modules that each module may import. docs/ARCHITECTURE.md describes the layers; Package.swift declares them.
enum Layers {
  static let table: [String: Set<String>] = [
    // Debian's C libraries.
    "CBinderyCurl": [],
    "CBinderyLinux": [],
    "CBinderyPostgreSQL": [],
    "CBinderySQLite": [],
    "CBinderySodium": [],
    "CBinderyXXHash": [],

    // Values.
    "BinderyText": [],
    "BinderyJSON": ["BinderyText"],
    "BinderyCryptography": ["CBinderySodium"],
    "BinderyDigest": ["BinderyCryptography", "BinderyText", "CBinderyXXHash", "Synchronization"],
    "BinderyCore": ["BinderyDigest", "BinderyJSON", "BinderyText", "FoundationEssentials", "Synchronization"],
    "BindingLaws": ["BinderyCore", "BinderyDigest", "BinderyJSON"],

    // Model files: models as JSON Schema.
    "BinderyModelFile": ["BinderyCore", "BinderyJSON"],

    // Metrics, logs and trace context.
    "BinderyTelemetry": ["BinderyText", "Synchronization"],

    // HTTP over plain sockets.
    "BinderyHTTP": ["BinderyText", "Synchronization"],
    "BinderySystem": ["CBinderyLinux", "Glibc", "Synchronization"],
    "BinderyServer": ["BinderyHTTP", "BinderySystem", "BinderyTelemetry", "Synchronization"],

    // Durable commits.
    "BinderyJournal": [
      "BinderyCore", "BinderyDigest", "BinderyJSON", "BinderySystem", "BinderyTelemetry", "BinderyText",
      "Synchronization",
    ],
    "BinderySQLite": [
      "BinderyCore", "BinderyDigest", "BinderyJSON", "BinderyJournal", "BinderySystem", "CBinderySQLite",
      "Synchronization",
    ],

    // A data file that is kept in step with a store.
    "BinderySync": [
      "BinderyCore", "BinderyCryptography", "BinderyJSON", "BinderySystem", "BinderyTelemetry", "BinderyText",
      "Synchronization",
    ],

    // The HTTP API over the state, and any model as a service.
    "BinderyAPI": [
      "BinderyCore", "BinderyCryptography", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyTelemetry",
      "BinderyText", "Synchronization",
    ],
    "BinderyOpenAPI": ["BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyText"],
    "BinderyClient": [],
    "BinderyConsole": [],
    "BinderyService": [
      "BinderyAPI", "BinderyClient", "BinderyConsole", "BinderyCore", "BinderyCryptography", "BinderyDigest",
      "BinderyHTTP", "BinderyJSON", "BinderyJournal", "BinderyModelFile", "BinderyOpenAPI", "BinderySQLite",
      "BinderyServer",
      "BinderySync", "BinderySystem", "BinderyTelemetry", "BinderyText", "FoundationEssentials", "Synchronization",
    ],
    "Bindery": ["BinderyCore", "BinderyService"],
    "BinderyPostgreSQL": [
      "BinderyCore", "BinderyCryptography", "BinderyDigest", "BinderyJournal", "BinderySQLite", "BinderyService",
      "BinderySystem", "BinderyTelemetry", "BinderyText", "CBinderyPostgreSQL", "Synchronization",
    ],

    // The macros, which run in the compiler.
    "BinderyMacroPlugin": [
      "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
      "SwiftSyntaxMacros",
    ],

    // The menu, its web page, and the command.
    "BinderyMenu": ["Bindery", "BinderyPostgreSQL", "FoundationEssentials", "Synchronization"],
    "BinderyCommand": ["Bindery", "BinderyMenu"],

    // Only for tests.
    "BinderyFuzzTargets": [
      "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyMenu",
      "FoundationEssentials",
    ],
    "BinderyTestKit": [
      "BinderyAPI", "BinderyCore", "BinderyDigest", "BinderyHTTP", "BinderyJSON", "BinderyServer", "BinderyService",
      "BinderySystem", "CBinderyCurl", "CBinderyLinux", "Foundation", "FoundationEssentials", "Synchronization",
    ],
  ]

  /// The modules that call C and may use `unsafe`.
  static let unsafe: Set<String> = [
    "BinderyCryptography", "BinderyDigest", "BinderyPostgreSQL", "BinderySQLite", "BinderySystem", "BinderyTestKit",
  ]

  /// The modules that may import libc.
  static let libc: Set<String> = ["BinderySystem"]
}
