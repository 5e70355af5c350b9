public import Bindery

extension WebPage {
  /// All files of the page.
  public static let files: [WebFile] = [
    file("/", PackageResources.index_html),
    file("/page.css", PackageResources.page_css),
    file("/favicon.svg", PackageResources.favicon_svg),
    file("/js/access.js", PackageResources.access_js),
    file("/js/component.js", PackageResources.component_js),
    file("/js/dom.js", PackageResources.dom_js),
    file("/js/draft.js", PackageResources.draft_js),
    file("/js/focus.js", PackageResources.focus_js),
    file("/js/notice.js", PackageResources.notice_js),
    file("/js/numbers.js", PackageResources.numbers_js),
    file("/js/page.js", PackageResources.page_js),
    file("/js/paths.js", PackageResources.paths_js),
    file("/js/state.js", PackageResources.state_js),
    file("/js/times.js", PackageResources.times_js),
    file("/js/tint.js", PackageResources.tint_js),
    file("/js/components/days.js", PackageResources.days_js),
    file("/js/components/dish.js", PackageResources.dish_js),
    file("/js/components/dishes.js", PackageResources.dishes_js),
    file("/js/components/label.js", PackageResources.label_js),
    file("/js/components/pinned.js", PackageResources.pinned_js),
    file("/js/components/sheet.js", PackageResources.sheet_js),
    file("/js/components/status.js", PackageResources.status_js),
    file("/js/components/stock.js", PackageResources.stock_js),
    file("/js/components/time.js", PackageResources.time_js),
    file("/js/components/undo.js", PackageResources.undo_js),
  ]
}
