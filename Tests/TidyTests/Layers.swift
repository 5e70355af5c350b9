/// The layers, said once: what each module may import. docs/ARCHITECTURE.md draws them; Package.swift declares them.
enum Layers {
  static let table: [String: Set<String>] = [
    // What Debian brings: C only.
    "CCurl": [],
    "CLinux": [],
    "CXXHash": [],

    // Values.
    "Bindings": [],
    "JSON": [],
    "Digests": ["CXXHash"],
    "Trees": ["Digests", "FoundationEssentials", "Synchronization"],
    "Shapes": ["Bindings", "Digests", "FoundationEssentials", "JSON", "Trees"],
    "State": ["Bindings", "Digests", "JSON", "Shapes", "Synchronization"],
    "BindingLaws": ["Bindings", "Digests", "JSON", "Shapes", "Trees"],
    "Bindery": ["Bindings", "Digests", "Shapes", "State", "Trees"],

    // Bytes.
    "HTTP": ["Synchronization"],
    "Sockets": ["CLinux", "Glibc", "Synchronization"],
    "Server": ["HTTP", "Sockets", "Synchronization"],

    // Where both meet, and what is shipped.
    "Resources": [
      "Bindings", "Digests", "FoundationEssentials", "HTTP", "JSON", "Shapes", "State", "Synchronization", "Trees",
    ],
    "Menu": ["Bindings", "FoundationEssentials", "Shapes", "Trees"],
  ]

  /// Composition: these may import whatever the package has.
  static let composition: Set<String> = ["App", "bindery"]

  /// These talk to C, and only these spell `unsafe`.
  static let unsafe: Set<String> = ["Digests", "Sockets"]

  /// Only these know that there is a libc.
  static let libc: Set<String> = ["Sockets"]
}
