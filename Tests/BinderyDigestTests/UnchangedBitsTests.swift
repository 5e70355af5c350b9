import BinderyDigest
import Testing

struct UnchangedBitsTests {
  @Test func `a value that is not modified has unchanged bits`() {
    var value = (1, "a text that is too long to be stored inline", [1, 2, 3], Optional("b"), 2.5, true)
    #expect(leavesBitsUnchanged(&value) { _ in })
    #expect(leavesBitsUnchanged(&value) { $0.0 = 1 })
    #expect(value.0 == 1)
  }

  @Test func `every change is detected`() {
    var value = (1, "a text that is too long to be stored inline", [1, 2, 3], Optional("b"), 2.5, true)
    #expect(!leavesBitsUnchanged(&value) { $0.0 = 2 })
    #expect(!leavesBitsUnchanged(&value) { $0.1 += "!" })
    #expect(!leavesBitsUnchanged(&value) { $0.2[1] = 9 })
    #expect(!leavesBitsUnchanged(&value) { $0.3 = nil })
    #expect(!leavesBitsUnchanged(&value) { $0.4 = -0.0 })
    #expect(!leavesBitsUnchanged(&value) { $0.5 = false })
    #expect(value.2 == [1, 9, 3])
  }

  /// Allocators tend to reuse memory that was freed just before.
  @Test func `a new object at the address of a released one is detected`() {
    var value = [0]
    for number in 1...1_000 {
      #expect(
        !leavesBitsUnchanged(&value) { value in
          value = []
          value = [number]
        })
      #expect(value == [number])
    }
  }

  @Test func `collections have the same bits if they share their storage`() {
    let (array, dictionary, set) = ([1, 2, 3], ["a": 1], Set([1, 2]))
    #expect(haveSameBits(array, array) && haveSameBits(dictionary, dictionary) && haveSameBits(set, set))
    var (otherArray, otherDictionary, otherSet) = (array, dictionary, set)
    #expect(haveSameBits(array, otherArray) && haveSameBits(dictionary, otherDictionary) && haveSameBits(set, otherSet))
    otherArray[0] = 1
    otherDictionary["a"] = 2
    otherSet.insert(3)
    #expect(!haveSameBits(array, otherArray) && !haveSameBits(dictionary, otherDictionary))
    #expect(!haveSameBits(set, otherSet))
    #expect(haveSameBits((), ()))
  }

  @Test func `all bytes of a value of any size are compared`() {
    var nothing: Void = ()
    #expect(leavesBitsUnchanged(&nothing) { _ in })
    var small = [64 of Int](repeating: 1)
    var large = [65 of Int](repeating: 1)
    #expect(leavesBitsUnchanged(&small) { _ in } && leavesBitsUnchanged(&large) { _ in })
    for index in [0, 31, 63] {
      #expect(!leavesBitsUnchanged(&small) { $0[index] += 1 })
      #expect(!leavesBitsUnchanged(&large) { $0[index + 1] += 1 })
    }
  }
}
