import Bindery

/// Something to do many times.
struct Work: Sendable {
  let name: String
  /// Does it that often; what it returns keeps the compiler from leaving the work out.
  let run: @Sendable (Int) async throws -> Int
}

extension Work {
  /// All that is measured, over kitchens of these sizes.
  static func all(sizes: [Int]) -> [Work] { sizes.flatMap { over(Kitchen(count: $0), count: $0) } }

  /// - Parameter count: how many dishes the kitchen has.
  private static func over(_ kitchen: Kitchen, count: Int) -> [Work] {
    let store = Store(kitchen)
    // Spread over the whole list, in an order that no cache foresees; making a place costs more than using it.
    let places = (0..<1024).map { index in
      Place<Kitchen, Kitchen>.root.dishes[id: Dish.id(index &* 7919 % count)].status[case: Status.inStock]
    }
    return [
      Work(name: "read-\(count)") { times in
        var sum = 0
        for index in 0..<times { sum &+= try store.read(places[index & 1023]) }
        return sum
      },
      Work(name: "write-\(count)") { times in
        // The old version stays alive, as it does in a store.
        let old = store.snapshot.root
        var sum = 0
        for index in 0..<times {
          var draft = old
          try places[index & 1023].access.edit(&draft) { $0 += 1 }
          sum &+= draft.dishes.count
        }
        return sum
      },
      Work(name: "commit-\(count)") { times in
        for index in 0..<times { try await store.edit(places[index & 1023]) { $0 += 1 } }
        return store.revision
      },
    ]
  }
}
