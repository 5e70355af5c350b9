import Bindery
import Testing

/// The public API beside names of the standard library.
struct NameTests {
  @Test func `initializers of the standard library can be passed as functions`() {
    #expect(["1", "x"].compactMap(Int.init) == [1])
    #expect([1, 2].map(String.init) == ["1", "2"])
    #expect(["1.5"].compactMap(Double.init) == [1.5])
  }
}
