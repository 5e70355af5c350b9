import BinderyTelemetry

/// Information about the build of this binary.
enum BuildInfo {
  /// The version of the Swift compiler, as far as conditional compilation can tell.
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

  /// Writes the build information as a metric.
  static func collect(version: String, into exposition: inout Exposition) {
    exposition.begin(
      "bindery_build_info", .gauge,
      "Always 1. The labels contain the versions of the program and of the Swift compiler.")
    exposition.sample(["version": version, "swift": swift], 1)
  }
}
