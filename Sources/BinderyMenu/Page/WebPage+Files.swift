extension WebPage {
  /// All files of the page.
  package static let files: [File] = [
    File("/", .html, PackageResources.index_html),
    File("/page.css", .css, PackageResources.page_css),
    File("/favicon.svg", .svg, PackageResources.favicon_svg),
    File("/js/access.js", .javaScript, PackageResources.access_js),
    File("/js/api.js", .javaScript, PackageResources.api_js),
    File("/js/component.js", .javaScript, PackageResources.component_js),
    File("/js/dom.js", .javaScript, PackageResources.dom_js),
    File("/js/draft.js", .javaScript, PackageResources.draft_js),
    File("/js/focus.js", .javaScript, PackageResources.focus_js),
    File("/js/page.js", .javaScript, PackageResources.page_js),
    File("/js/state.js", .javaScript, PackageResources.state_js),
    File("/js/stream.js", .javaScript, PackageResources.stream_js),
    File("/js/times.js", .javaScript, PackageResources.times_js),
    File("/js/components/days.js", .javaScript, PackageResources.days_js),
    File("/js/components/dish.js", .javaScript, PackageResources.dish_js),
    File("/js/components/dishes.js", .javaScript, PackageResources.dishes_js),
    File("/js/components/label.js", .javaScript, PackageResources.label_js),
    File("/js/components/pinned.js", .javaScript, PackageResources.pinned_js),
    File("/js/components/sheet.js", .javaScript, PackageResources.sheet_js),
    File("/js/components/status.js", .javaScript, PackageResources.status_js),
    File("/js/components/stock.js", .javaScript, PackageResources.stock_js),
    File("/js/components/time.js", .javaScript, PackageResources.time_js),
    File("/js/components/undo.js", .javaScript, PackageResources.undo_js),
  ]
}
