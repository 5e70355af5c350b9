import BinderyCore
import BinderyJSON
import BinderySync
import Foundation
import Testing

/// A running engine: commits that reach the file, and edits of the file that reach the store.
struct SyncEngineTests {
  @Test func `a commit is written after 100 ms and not read back`() throws {
    let scene = try SyncScene()
    scene.advance(0)
    #expect(scene.text == Blog.data)
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    scene.advance(0)
    scene.advance(99)
    #expect(scene.text == Blog.data)
    scene.advance(1)
    #expect(scene.text == Blog.data.replacing(#""zoom": 3"#, with: #""zoom": 4"#))
    let revision = scene.store.revision
    scene.read()
    scene.advance(1_000)
    scene.advance(50)
    #expect(scene.store.revision == revision)
    #expect(try scene.files == ["db.db-sync", "db.json"])
    #expect(scene.problems() == [])
  }

  @Test(arguments: [false, true])
  func `an edit of the file is one commit of its difference`(atomically: Bool) throws {
    let scene = try SyncScene()
    let before = scene.store.snapshot
    let edited = Blog.data.replacing("Two", with: "2").replacing(#""zoom": 3"#, with: #""zoom": 4"#)
    try scene.edit(edited, atomically: atomically)
    let after = scene.store.snapshot
    #expect(after.revision == before.revision + 1)
    let revision = Revision(number: 1, at: 0, from: before.root, to: after.root, Blog.shape)
    #expect(
      String(decoding: revision.patch, as: UTF8.self) == """
        [{"op":"replace","path":"/posts/2/title","value":"2"},{"op":"replace","path":"/settings/zoom","value":4}]
        """)
    scene.advance(1_000)
    #expect(scene.text == edited, "the file says the same as the store, so it is not written")
    #expect(scene.problems() == [])
  }

  @Test func `a file that is still changing is not read`() throws {
    let scene = try SyncScene()
    try scene.write(String(Blog.data.prefix(100)))
    scene.advance(0)
    scene.advance(49)
    try scene.write(Blog.data.replacing("Two", with: "2"))
    scene.advance(0)
    scene.advance(49)
    #expect(scene.store.revision == 0)
    scene.advance(1)
    #expect(scene.store.revision == 1)
    #expect(scene.problems() == [])
  }

  @Test func `an edit is merged with commits to other members and elements`() throws {
    let scene = try SyncScene()
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    try scene.commit(#""title":"One""#, #""title":"First""#)
    try scene.commit("}],\"settings\"", #"},{"id":7,"title":"Seven","views":0,"at":null,"author":"Bea"}],"settings""#)
    let two = #"    { "title": "Two", "id": 2, "views": 1e3, "at": null, "author": "Ann" }"#
    let three = #"    { "title": "Three", "id": 3, "views": 0, "at": null, "author": "Ann" }"#
    try scene.edit(
      Blog.data.replacing("1.50", with: "2").replacing(two, with: "\(two),\n\(three)")
        .replacing(#""tags": ["a",  "b"]"#, with: #""tags": ["c"]"#))
    #expect(
      scene.state == """
        {"title":"Café","posts":[\
        {"id":1,"title":"First","views":2,"at":"2026-01-01T00:00:00.000Z","author":"Ann"},\
        {"id":2,"title":"Two","views":1000,"at":null,"author":"Ann"},\
        {"id":3,"title":"Three","views":0,"at":null,"author":"Ann"},\
        {"id":7,"title":"Seven","views":0,"at":null,"author":"Bea"}],\
        "settings":{"alpha":1,"zoom":4},"tags":["c"],"labels":["x","y"],"notes":[],"free":{"a":{},"z":[1,2]}}
        """)
    #expect(Blog.shape.areSame(try Blog.state(scene.text), scene.store.snapshot.root))
    #expect(scene.problems() == [])
  }

  @Test func `the same change on both sides is no conflict`() throws {
    let scene = try SyncScene()
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    try scene.commit("1.5,", "2,")
    try scene.edit(Blog.data.replacing(#""zoom": 3"#, with: #""zoom": 4"#).replacing("Two", with: "2"))
    #expect(scene.state.contains(#""zoom":4"#) && scene.state.contains(#""title":"2","views":1000"#))
    #expect(scene.state.contains(#""views":2"#))
    #expect(scene.problems() == [])
  }

  @Test func `a member that was changed in both is a conflict, and the text of the file is kept`() throws {
    let scene = try SyncScene()
    for number in 1...2 {
      let text = scene.text
      try scene.commit(#""zoom":3"#, #""zoom":4"#)
      try scene.commit(#""zoom":4"#, #""zoom":3\#(number)"#)
      let state = scene.state
      let edited = text.replacing("Two", with: "2").replacing(#""zoom": 3"#, with: #""zoom": 5"#)
      try scene.edit(edited)
      let conflict = number == 1 ? "db.json.conflict" : "db.json.conflict-2"
      #expect(
        scene.problems() == [
          "db.json: /settings/zoom was changed both in the file and in the store: nothing of its change was applied; "
            + "its text is kept as \(conflict)"
        ])
      #expect(scene.state == state)
      #expect(try scene.text(of: conflict) == edited)
      #expect(Blog.shape.areSame(try Blog.state(scene.text), scene.store.snapshot.root))
    }
  }

  @Test func `a removed element that was changed meanwhile is a conflict`() throws {
    let scene = try SyncScene()
    try scene.commit(#""title":"Two""#, #""title":"2""#)
    let two = #"{ "title": "Two", "id": 2, "views": 1e3, "at": null, "author": "Ann" }"#
    try scene.edit(Blog.data.replacing(",\n    \(two)", with: ""))
    #expect(scene.problems().first?.hasPrefix("db.json: /posts/2 was changed both") == true)
    #expect(scene.text.contains(#""title": "2""#))
  }

  @Test(
    arguments: [
      ("\"Two\"", "\"Two", "invalid JSON: unexpected character 'i' at line 4, column 23"),
      ("1e3", "-1", "-1 is not a number ≥ 0 (at /posts/1/views)"),
      (
        #""title": "Two""#, #""tilte": "Two""#,
        "there is no member “tilte”, expected one of id, title, views, at, author (at /posts/1/tilte); "
          + "to accept it, add it to the model and restart the server"
      ),
      (#""author": "Ann" }"# + "\n", #""author": "Bea" }"# + "\n", "this member is read-only (at /posts/2/author)"),
      (#""id": 2"#, #""id": 1"#, "an element with the id “1” already exists (at /posts/1)"),
    ])
  func `a file that is not valid is one warning and waits until it is corrected`(
    _ part: String, _ mistake: String, _ reason: String
  ) throws {
    let scene = try SyncScene()
    let state = scene.state
    let wrong = Blog.data.replacing(part, with: mistake)
    try scene.edit(wrong)
    try scene.edit(wrong, atomically: true)
    #expect(
      scene.problems() == [
        "db.json: \(reason); this change is not applied, and the file is not written until it is corrected "
          + "or the server stops"
      ])
    #expect(scene.state == state)
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    scene.advance(1_000)
    scene.advance(1_000)
    #expect(scene.text == wrong)
    try scene.edit(Blog.data.replacing("1.50", with: "2"))
    #expect(scene.state.contains(#""zoom":4"#) && scene.state.contains(#""views":2"#))
    #expect(Blog.shape.areSame(try Blog.state(scene.text), scene.store.snapshot.root))
    #expect(scene.problems() == [])
  }

  @Test(arguments: [Blog.data, Blog.data + "\n"])
  func `a file that is valid again without a change is reported`(text: String) throws {
    let scene = try SyncScene()
    try scene.edit("{")
    _ = scene.problems()
    try scene.edit(text)
    #expect(scene.messages() == ["db.json is valid again, and has no change"])
    try scene.edit(text, atomically: true)
    #expect(scene.messages() == [])
  }

  @Test func `a wrong text is kept at the end, and the file gets the state`() throws {
    let scene = try SyncScene()
    try scene.edit("{")
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    _ = scene.problems()
    scene.finish()
    #expect(try scene.text(of: "db.json.conflict") == "{")
    #expect(scene.text == Blog.data.replacing(#""zoom": 3"#, with: #""zoom": 4"#))
    #expect(scene.problems().count == 1)
  }

  @Test func `the end reads a last edit and writes a last commit`() throws {
    let scene = try SyncScene()
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    try scene.write(Blog.data.replacing("Two", with: "2"))
    scene.finish()
    #expect(scene.state.contains(#""zoom":4"#) && scene.state.contains(#""title":"2""#))
    #expect(
      scene.text == Blog.data.replacing(#""zoom": 3"#, with: #""zoom": 4"#).replacing("Two", with: "2"))
    #expect(scene.problems() == [])
  }

  @Test func `a file that is removed is written again after the next commit`() throws {
    let scene = try SyncScene()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: scene.path)
    scene.advance(1_000)
    try FileManager.default.removeItem(atPath: scene.path)
    scene.advance(1_000)
    scene.advance(50)
    #expect(scene.problems() == ["db.json was removed: it is written again after the next commit"])
    scene.advance(1_000)
    #expect(try scene.files == ["db.db-sync"])
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    scene.advance(0)
    scene.advance(100)
    #expect(scene.text == Blog.data.replacing(#""zoom": 3"#, with: #""zoom": 4"#))
    #expect(
      try FileManager.default.attributesOfItem(atPath: scene.path)[.posixPermissions] as? Int == 0o640)
  }

  @Test func `a write keeps permissions and owner`() throws {
    let scene = try SyncScene()
    let attributes: [FileAttributeKey: Any] =
      getuid() == 0 ? [.posixPermissions: 0o664, .ownerAccountID: 12_345, .groupOwnerAccountID: 54_321] : [:]
    try FileManager.default.setAttributes(attributes, ofItemAtPath: scene.path)
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    scene.advance(0)
    scene.advance(100)
    #expect(scene.text.contains(#""zoom": 4"#))
    let kept = try FileManager.default.attributesOfItem(atPath: scene.path)
    for (key, value) in attributes { #expect(kept[key] as? Int == value as? Int) }
  }

  @Test func `an edit between the last look and a write is not overwritten`() throws {
    let scene = try SyncScene()
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    scene.advance(0)
    let edited = Blog.data.replacing("Two", with: "a longer title")
    try Data(edited.utf8).write(to: URL(filePath: scene.path))
    scene.advance(100)
    #expect(scene.text == edited)
    scene.read()
    #expect(scene.text == edited.replacing(#""zoom": 3"#, with: #""zoom": 4"#))
    #expect(scene.state.contains("a longer title"))
  }

  @Test func `an element without an id gets one in the file`() throws {
    let scene = try SyncScene()
    try scene.edit(Blog.data.replacing(#""notes": []"#, with: #""notes": [{"text": "new"}]"#))
    let id = try #require(scene.state.firstMatch(of: /"notes":\[{"id":"([^"]+)"/)).1
    #expect(scene.text.contains(#"{"text": "new", "id": "\#(id)"}"#), "\(scene.text)")
    scene.read()
    #expect(scene.store.revision == 1)
    #expect(scene.problems() == [])
  }
}
