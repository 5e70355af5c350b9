import Bindery

let service = try Service(Counter(), listeningOn: ["127.0.0.1:8081"])

// Swift code reads and edits the same state as HTTP clients, through typed places.
let count = Place<Counter, Counter>.root.count
try await service.store.edit(count) { $0 = 41 }
print("\(count.path) is \(try service.store.read(count)); http://127.0.0.1:8081/state\(count.path)")

try service.run()
