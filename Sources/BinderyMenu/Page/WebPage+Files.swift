public import Bindery

extension WebPage {
  /// All files of the page.
  public static let files: [WebFile] = [
    file("/", .html, PackageResources.index_html),
    file("/page.css", .css, PackageResources.page_css),
    file("/favicon.svg", .svg, PackageResources.favicon_svg),
    file("/js/access.js", .javaScript, PackageResources.access_js),
    file("/js/api.js", .javaScript, PackageResources.api_js),
    file("/js/component.js", .javaScript, PackageResources.component_js),
    file("/js/connections.js", .javaScript, PackageResources.connections_js),
    file("/js/dom.js", .javaScript, PackageResources.dom_js),
    file("/js/draft.js", .javaScript, PackageResources.draft_js),
    file("/js/focus.js", .javaScript, PackageResources.focus_js),
    file("/js/notice.js", .javaScript, PackageResources.notice_js),
    file("/js/page.js", .javaScript, PackageResources.page_js),
    file("/js/paths.js", .javaScript, PackageResources.paths_js),
    file("/js/state.js", .javaScript, PackageResources.state_js),
    file("/js/stream.js", .javaScript, PackageResources.stream_js),
    file("/js/times.js", .javaScript, PackageResources.times_js),
    file("/js/tint.js", .javaScript, PackageResources.tint_js),
    file("/js/components/days.js", .javaScript, PackageResources.days_js),
    file("/js/components/dish.js", .javaScript, PackageResources.dish_js),
    file("/js/components/dishes.js", .javaScript, PackageResources.dishes_js),
    file("/js/components/label.js", .javaScript, PackageResources.label_js),
    file("/js/components/pinned.js", .javaScript, PackageResources.pinned_js),
    file("/js/components/sheet.js", .javaScript, PackageResources.sheet_js),
    file("/js/components/status.js", .javaScript, PackageResources.status_js),
    file("/js/components/stock.js", .javaScript, PackageResources.stock_js),
    file("/js/components/time.js", .javaScript, PackageResources.time_js),
    file("/js/components/undo.js", .javaScript, PackageResources.undo_js),
  ]
}
