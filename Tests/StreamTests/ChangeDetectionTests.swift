import BinderyCore
import BinderyMenu
import BinderyTestKit
import FoundationEssentials
import Testing

/// A commit notifies the subscribers of each place whose content it changes, whatever path it wrote to.
struct ChangeDetectionTests {
  private let loop = MenuFixture.loop()

  @Test func `the pinned dish sends an event when it changes, and its name only when the name differs`()
    throws
  {
    let (dish, name) = (loop.follow("/state/pinnedDish"), loop.follow("/state/pinnedDish/name"))
    _ = try loop.patch("/state/pinnedID", "\"\(MenuFixture.second)\"")
    #expect(dish.take().count == 1)
    #expect(name.takeData() == ["\"🧀 Eggplant Parmigiana\""])
    _ = try loop.patch("/state/dishes/\(MenuFixture.second)", #"{"isFavorite":true}"#)
    #expect(dish.take().count == 1)
    #expect(name.take() == [])
    _ = try loop.patch("/state/dishes/\(MenuFixture.first)", #"{"name":"🧀 Eggplant Parmigiana"}"#)
    #expect(dish.take() == [])
    _ = try loop.patch("/state/pinnedID", "\"\(MenuFixture.first)\"")
    #expect(dish.take().count == 1)
    #expect(name.take() == [], "the names are equal")
    _ = try loop.delete("/state/pinnedID")
    #expect(dish.takeData() == ["null"])
    #expect(name.take().map(\.type) == ["absent"])
  }

  @Test func `a write through a computed place notifies the stored place`() throws {
    let stored = loop.follow("/state/dishes/\(MenuFixture.first)/name")
    let (other, all) = (loop.follow("/state/dishes/\(MenuFixture.second)"), loop.follow("/state"))
    _ = try loop.patch("/state/pinnedDish/name", "\"Spaghetti\"")
    #expect(stored.takeData() == ["\"Spaghetti\""])
    #expect(other.take() == [])
    #expect(all.take().count == 1)
  }

  @Test func `the favorites send an event only when their list differs`() {
    let stream = loop.follow("/state/favorites")
    loop.commit { $0.firstDish.isFavorite = true }
    #expect(stream.takeData() == ["[\"\(MenuFixture.first)\"]"])
    loop.commit { $0.firstDish.name = "Spaghetti" }
    loop.commit { $0.dishes.move(id: $0.dishes[0].id, to: 3) }
    #expect(stream.take() == [])
    loop.commit { $0.dishes.edit(at: 0) { $0.isFavorite = true } }
    #expect(stream.takeData() == ["[\"\(MenuFixture.second)\",\"\(MenuFixture.first)\"]"])
    loop.commit { $0.dishes.move(id: $0.dishes[0].id, to: 3) }
    #expect(stream.takeData() == ["[\"\(MenuFixture.first)\",\"\(MenuFixture.second)\"]"])
  }

  @Test func `a day sends an event when it is selected or deselected`() throws {
    let (saturday, sunday) = (
      loop.follow("/state/days/2026-11-21/isSelected"), loop.follow("/state/days/2026-11-22/isSelected")
    )
    let monday = loop.follow("/state/days/2026-11-23")
    _ = try loop.patch("/state/days/2026-11-22", #"{"isSelected":true}"#)
    #expect(saturday.takeData() == ["false"])
    #expect(sunday.takeData() == ["true"])
    #expect(monday.take() == [])
  }

  @Test func `at midnight the label and the list of days send events`() {
    let label = loop.follow("/state/selectedDayLabel")
    let (saturday, day) = (loop.follow("/state/days/2026-11-21"), loop.follow("/state/selectedDay"))
    let new = loop.follow("/state/days/2026-12-02/weekday")
    loop.commit { $0.selectedDay = $0.today.advanced(by: 1) }
    #expect(label.takeData() == ["\"Tomorrow\""])
    _ = (saturday.take(), day.take())
    loop.commit { $0.advance(to: $0.today.advanced(by: 1), evening: $0.evening + 86_400) }
    #expect(label.takeData() == ["\"Today\""])
    #expect(saturday.take().map(\.type) == ["absent"])
    #expect(new.takeData() == ["\"Wednesday\""])
    #expect(day.take() == [])
  }

  @Test func `the custom time or its default sends an event when it differs, also through hidden members`() {
    let stream = loop.follow("/state/customTimeOrDefault")
    loop.commit { $0.advance(to: $0.today, evening: $0.evening + 60) }
    #expect(stream.takeData() == ["\"2026-11-21T19:01:00.000Z\""])
    loop.commit { $0.time = .tomorrow }
    #expect(stream.take() == [])
    loop.commit { $0.time = .custom($0.evening) }
    #expect(stream.take() == [], "the custom time equals the previous default")
    loop.commit { $0.time = .custom($0.evening + 60) }
    #expect(stream.takeData() == ["\"2026-11-21T19:02:00.000Z\""])
    loop.commit { $0.time = .tonight }
    #expect(stream.take() == [], "the last custom time is the default")
  }

  @Test func `writes without an effect on a place send no event`() throws {
    let paths = ["", "/time", "/dishes", "/dishes/\(MenuFixture.first)/name", "/pinnedDish", "/favorites", "/days"]
    let streams = paths.map { loop.follow("/state" + $0) }
    #expect(try loop.put("/state/time", "\"tonight\"").changed == false)
    #expect(try loop.patch("/state/dishes/\(MenuFixture.first)", #"{"isFavorite":false}"#).changed == false)
    let patch =
      #"[{"op":"replace","path":"/time","value":"tomorrow"},{"op":"replace","path":"/time","value":"tonight"}]"#
    #expect(try loop.jsonPatch("/state", patch).changed == false)
    for stream in streams { #expect(stream.take() == []) }
    _ = try loop.patch("/state/dishes/\(MenuFixture.second)", #"{"name":"Parmigiana"}"#)
    let changed = zip(paths, streams).filter { !$0.1.take().isEmpty }.map(\.0)
    #expect(changed == ["", "/dishes"])
  }

  @Test func `a rejected request sends no event`() throws {
    let stream = loop.follow("/state")
    #expect(try loop.patch("/state/dishes/\(MenuFixture.first)", #"{"name":""}"#).status == 422)
    #expect(try loop.patch("/state/time/custom", "\"2026-01-01T00:00:00.000Z\"").status == 409)
    #expect(try loop.get("/state", ["If-None-Match": "*"]).status == 304)
    #expect(stream.take() == [])
  }

  @Test func `the writer receives its response before subscribers receive the event`() {
    let stream = loop.follow("/state/time")
    let write = loop.begin(Request("PUT", "/state/time", body: Array("\"tomorrow\"".utf8)))
    #expect(write.reader.reply?.status == 200)
    #expect(stream.take() == [])
    loop.settle()
    #expect(stream.takeData() == ["\"tomorrow\""])
  }
}
