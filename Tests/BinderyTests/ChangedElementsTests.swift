import Bindery
import Testing

/// The elements that a model examines when it settles.
struct ChangedElementsTests {
  private struct Seat: Editable, Identifiable, Equatable {
    let id: Int
    var guest = ""

    static let shape = EditableShape<Seat>.members(
      Seat.init, StoredMember("id", id: \.id), StoredMember("guest", \.guest, default: ""))
  }

  @Test func `new and different elements have changed, but not moved and removed ones`() throws {
    let old = Identified(uniquing: (0..<1_000).map { Seat(id: $0) })
    #expect(old.elements(changedSince: old) == [])
    var new = old
    new.edit(id: 7) { $0.guest = "Ada" }
    new.edit(id: 8) { $0.guest = "" }
    #expect(new.elements(changedSince: old) == [Seat(id: 7, guest: "Ada")])
    new.move(id: 9, to: 500)
    new.remove(id: 10)
    try new.append(Seat(id: 5_000))
    #expect(new.elements(changedSince: old).map(\.id).sorted() == [7, 5_000])
    #expect(new.elements(changedSince: Identified()).count == 1_000)
  }
}
