import BinderyDigest
import Testing

struct UntouchedTests {
  @Test func `a value that nobody touches is untouched`() {
    var value = (1, "a text that is too long to stand in place", [1, 2, 3], Optional("b"), 2.5, true)
    #expect(leavesUntouched(&value) { _ in })
    #expect(leavesUntouched(&value) { $0.0 = 1 })
    #expect(value.0 == 1)
  }

  @Test func `each change is seen`() {
    var value = (1, "a text that is too long to stand in place", [1, 2, 3], Optional("b"), 2.5, true)
    #expect(!leavesUntouched(&value) { $0.0 = 2 })
    #expect(!leavesUntouched(&value) { $0.1 += "!" })
    #expect(!leavesUntouched(&value) { $0.2[1] = 9 })
    #expect(!leavesUntouched(&value) { $0.3 = nil })
    #expect(!leavesUntouched(&value) { $0.4 = -0.0 })
    #expect(!leavesUntouched(&value) { $0.5 = false })
    #expect(value.2 == [1, 9, 3])
  }

  /// An allocator likes to give back the memory that was just let go.
  @Test func `what takes the place of something else at its address is seen`() {
    var value = [0]
    for number in 1...1_000 {
      #expect(
        !leavesUntouched(&value) { value in
          value = []
          value = [number]
        })
      #expect(value == [number])
    }
  }

  @Test func `a value of any size is seen whole`() {
    var nothing: Void = ()
    #expect(leavesUntouched(&nothing) { _ in })
    var small = [64 of Int](repeating: 1)
    var large = [65 of Int](repeating: 1)
    #expect(leavesUntouched(&small) { _ in } && leavesUntouched(&large) { _ in })
    for index in [0, 31, 63] {
      #expect(!leavesUntouched(&small) { $0[index] += 1 })
      #expect(!leavesUntouched(&large) { $0[index + 1] += 1 })
    }
  }
}
