/// The files of the console, which are embedded in the program. They are served without comments; there is no other
/// build step.
package enum ConsoleFiles {
  /// The page.
  package static var page: [UInt8] { PackageResources.index_html }

  /// The files that the page loads, by name.
  package static let parts: [String: [UInt8]] = [
    "api.js": PackageResources.api_js,
    "collections.js": PackageResources.collections_js,
    "console.css": PackageResources.console_css,
    "drafts.js": PackageResources.drafts_js,
    "field.js": PackageResources.field_js,
    "form.js": PackageResources.form_js,
    "history.js": PackageResources.history_js,
    "icon.svg": PackageResources.icon_svg,
    "live.js": PackageResources.live_js,
    "main.js": PackageResources.main_js,
    "panes.js": PackageResources.panes_js,
    "place.js": PackageResources.place_js,
    "schema.js": PackageResources.schema_js,
    "tree.js": PackageResources.tree_js,
  ]
}
