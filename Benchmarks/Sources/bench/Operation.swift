import Bindery

/// A benchmarked operation.
struct Operation: Sendable {
  let name: String
  /// Runs the operation a number of times. The result prevents the compiler from removing the work.
  let run: @Sendable (Int) async throws -> Int
}

extension Operation {
  /// Returns all operations for kitchens of these sizes.
  static func all(sizes: [Int]) -> [Operation] { sizes.flatMap { operations(on: Kitchen(count: $0), count: $0) } }

  /// - Parameter count: The number of dishes in the kitchen.
  private static func operations(on kitchen: Kitchen, count: Int) -> [Operation] {
    let store = Store(kitchen)
    // Spread over the whole list in an unpredictable order, so that CPU caches do not help. Created in advance, because
    // creating a place costs more than using it.
    let places = (0..<1024).map { index in
      Kitchen.places.dishes[id: Dish.id(index &* 7919 % count)].status[case: Status.inStock]
    }
    return [
      Operation(name: "read-\(count)") { repetitions in
        var sum = 0
        for index in 0..<repetitions { sum &+= try store.read(places[index & 1023]) }
        return sum
      },
      Operation(name: "write-\(count)") { repetitions in
        // The old version stays alive, as in a store, so each write copies the nodes on its path.
        let old = store.snapshot.root
        var sum = 0
        for index in 0..<repetitions {
          var draft = old
          try places[index & 1023].edit(in: &draft) { $0 += 1 }
          sum &+= draft.dishes.count
        }
        return sum
      },
      Operation(name: "commit-\(count)") { repetitions in
        for index in 0..<repetitions { try await store.edit(places[index & 1023]) { $0 += 1 } }
        return store.revision
      },
    ]
  }
}
