import BinderyTelemetry

/// What this binary was made from.
enum BuildInfo {
  /// The compiler's version, as far as the language can tell.
  static var swift: String {
    #if compiler(>=6.5)
      "6.5"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  static func collect(into exposition: inout Exposition) {
    exposition.begin("bindery_build_info", .gauge, "Always 1; the labels say what this binary was made from.")
    exposition.sample(["version": Command.version, "swift": swift], 1)
  }
}
