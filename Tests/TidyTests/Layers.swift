/// The layers, said once: what each module may import. docs/ARCHITECTURE.md draws them; Package.swift declares them.
enum Layers {
  static let table: [String: Set<String>] = [
    // What Debian brings: C only.
    "CCurl": [],
    "CLinux": [],
    "CSQLite": [],
    "CXXHash": [],

    // Values.
    "Bindings": [],
    "JSON": [],
    "Digests": ["CXXHash"],
    "Cryptography": [],
    "Trees": ["Digests", "FoundationEssentials", "Synchronization"],
    "Shapes": ["Bindings", "Digests", "FoundationEssentials", "JSON", "Trees"],
    "State": ["Bindings", "Shapes", "Synchronization"],
    "BindingLaws": ["Bindings", "Digests", "JSON", "Shapes", "Trees"],

    // What a service tells of itself.
    "Telemetry": ["Synchronization"],

    // Bytes.
    "HTTP": ["Synchronization"],
    "Sockets": ["CLinux", "Glibc", "Synchronization"],
    "Server": ["HTTP", "Sockets", "Synchronization", "Telemetry"],

    // Where commits are kept.
    "Journaling": ["JSON", "Shapes", "Sockets", "State", "Synchronization", "Telemetry"],
    "SQLiteJournal": ["CSQLite", "Digests", "JSON", "Journaling", "Shapes", "Sockets", "State"],

    // Where both meet.
    "Resources": [
      "Bindings", "Cryptography", "Digests", "HTTP", "JSON", "Shapes", "State", "Synchronization", "Telemetry",
      "Trees",
    ],
    "Serving": [
      "Digests", "HTTP", "Resources", "Server", "Shapes", "Sockets", "State", "Synchronization", "Telemetry",
    ],
    "Bindery": ["Bindings", "Serving", "Shapes", "State", "Trees"],

    // What ships.
    "WebPage": [],
    "Menu": ["Bindings", "FoundationEssentials", "Shapes", "Trees"],
    "App": [
      "Digests", "FoundationEssentials", "Journaling", "Menu", "Resources", "SQLiteJournal", "Serving", "Shapes",
      "Sockets", "State", "Synchronization", "Telemetry", "WebPage",
    ],
    "BinderyCommand": ["App"],

    // What only tests use.
    "FuzzTargets": [
      "Digests", "FoundationEssentials", "HTTP", "JSON", "Menu", "Resources", "Shapes", "State", "Trees",
    ],
    "TestKit": [
      "Bindings", "CCurl", "Digests", "FoundationEssentials", "HTTP", "JSON", "Resources", "Server", "Serving",
      "Shapes", "Sockets", "State", "Synchronization",
    ],
  ]

  /// These talk to C, and only these spell `unsafe`.
  static let unsafe: Set<String> = ["Digests", "SQLiteJournal", "Sockets", "TestKit"]

  /// Only these know that there is a libc.
  static let libc: Set<String> = ["Sockets"]
}
