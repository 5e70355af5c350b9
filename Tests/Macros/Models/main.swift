// Prints all that follows from the shapes of the models: paths, JSON, schemas, digests and the results of the law checks.
// scripts/macros compares the output for the models by macro with that for the models by hand.
import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyOpenAPI
import BindingLaws

/// Prints a type and its parts, with what the OpenAPI document does not contain.
func printType(_ type: TypeInfo, _ path: String) {
  print(path, type.name, type.isFixed, type.rules)
  switch type.kind {
  case .scalar: break
  case .product(let product):
    for (index, member) in product.members.enumerated() {
      let sources = product.sources(of: index).map { "\($0)" } ?? "all"
      print(path, member.name, member.role, member.hasDefault, sources, index == product.identity)
      printType(member.type, path + "/" + member.name)
    }
  case .sum(let cases):
    for part in cases {
      print(path, part.name, part.isLabelled)
      if let payload = part.payload { printType(payload, path + "/" + part.name) }
    }
  case .optional(let wrapped): printType(wrapped, path + "?")
  case .elements(let element, _), .array(let element), .set(let element), .dictionary(let element, _):
    printType(element, path + "/*")
  }
}

func report<Root: StateModel>(_ example: Root, decoding texts: [String]) {
  print("== \(Root.self)")
  printType(Root.shape.type, "")
  print(OpenAPIDocument(of: example, title: "\(Root.self)", version: "1").yaml)

  let key = DigestKey(secret: (0..<192).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
  for text in texts {
    guard let document = try? JSONDocument(parsing: Array(text.utf8)) else { fatalError("not JSON: \(text)") }
    var decoding = Decoding(.creating)
    do throws(ValidationError) {
      let value = try Root.shape.decode(document.root, &decoding)
      var writer = JSONWriter()
      Root.shape.encode(value, into: &writer)
      print(String(decoding: writer.bytes, as: UTF8.self), Root.shape.digest(value, key))
    } catch {
      print(error)
    }
  }

  var generator = SeededGenerator(seed: 7)
  let laws = lawReport(of: Root.self, samples: [example], rounds: 40, using: &generator)
  print(laws.violations, laws.accepted, laws.generated)
  for (law, count) in laws.checkCounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { print(law, count) }
}

report(
  Menu.example,
  decoding: [
    #"{"dishes":[{"id":"b10de400-0000-8000-8000-000000000009","name":"A"}],"pinnedID":null,"time":"tonight","lastCustomTime":null,"editing":null,"#
      + #""today":"2026-11-21","selectedDay":"2026-11-22"}"#,
    "{}",
  ])
report(CounterState(), decoding: ["{}", #"{"step":0}"#, #"{"count":3,"isEven":true}"#])
report(
  Kinds(
    serial: "s", number: 1, other: 2, even: 4, tags: ["a"], isOpen: true, version: 1, default: .on, lamp: .broken,
    alias: "b", digit: nil, watched: 1, count: 2, size: .large, secret: 3),
  decoding: [
    #"{"serial":"s","other":2,"alias":" ","lamp":null}"#,
    #"{"serial":"s","other":2,"alias":"a","lamp":null,"digit":-1}"#,
    #"{"serial":"s","other":2,"alias":null,"lamp":null}"#,
    #"{"serial":"s","other":2,"alias":null,"lamp":null,"even":3}"#,
    #"{"serial":"s","other":2,"alias":null,"lamp":{"lit":{"brightness":0.5}},"default":{"at_most":10}}"#,
    #"{"serial":"s","other":2,"alias":null,"lamp":null,"size":"big"}"#,
    #"{"serial":"s","other":2,"alias":null,"lamp":null,"size":"large"}"#,
    #"{"serial":"s","other":2,"alias":null,"lamp":"broken","default":{"point":{"x":1,"in":[2,3],"note":null}}}"#,
  ])
print("== Places")
print(Menu.places.time[case: Time.custom].path, CounterState.places.isEven.path)
