import Bindery

/// The files of the page. To edit them without a new build, start the program with `--www`.
enum FleetPage {
  static let files = [
    WebFile(path: "/", content: PackageResources.index_html),
    WebFile(path: "/fleet.css", content: PackageResources.fleet_css),
    WebFile(path: "/favicon.svg", content: PackageResources.favicon_svg),
    WebFile(path: "/js/api.js", content: PackageResources.api_js),
    WebFile(path: "/js/device.js", content: PackageResources.device_js),
    WebFile(path: "/js/dom.js", content: PackageResources.dom_js),
    WebFile(path: "/js/fleet.js", content: PackageResources.fleet_js),
    WebFile(path: "/js/live.js", content: PackageResources.live_js),
    WebFile(path: "/js/rollout.js", content: PackageResources.rollout_js),
  ]
}
