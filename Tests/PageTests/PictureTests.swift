import BinderyMenu
import Foundation
import Testing

/// The path of the file to write.
private let pictureFile = ProcessInfo.processInfo.environment["BINDERY_PICTURE"]

/// Takes the picture of the page that the README shows: `make picture`.
@Suite(.serialized, .needsBrowser)
struct PictureTests {
  @Test(.enabled(if: pictureFile != nil, "run make picture"))
  func `the picture shows components with different numbers of renderings`() throws {
    try PageScene.run { scene in
      let window = scene.window
      for quantity in 2...4 {
        try window.click(Dishes.selector(Dishes.parmigiana, "more"))
        let row = "document.querySelector('\(Dishes.selector(Dishes.parmigiana))')"
        try window.wait(for: "\(row).dataset.renders === '\(quantity)'")
      }
      try window.click(Dishes.selector(Dishes.caprese, "favorite"))
      try window.wait(for: "document.getElementById('favorites').dataset.renders === '2'")
      // Neither a focused control nor one below the pointer.
      try window.click("h1")
      let height: Int = try window.value("document.documentElement.scrollHeight")
      try window.command(
        "Emulation.setDeviceMetricsOverride",
        ["width": 1200, "height": height, "deviceScaleFactor": 1, "mobile": false])
      // The transitions of the colors.
      try window.wait(for: "document.getAnimations().length === 0")
      let file = try #require(pictureFile)
      try window.screenshot().write(to: URL(fileURLWithPath: file))
    }
  }
}
