import BinderyCore
import BinderyJSON
import BinderySystem

extension SyncEngine {
  /// Brings the file and the store in step at the start.
  ///
  /// The record tells which of both has changed since the file was last written. If only the file has, its change is
  /// merged; if the store has, the file is written. If both have changed and differ, the store wins, and the text of the
  /// file is kept.
  ///
  /// - Throws: ``SyncRefusal`` if the file cannot be kept in step.
  package mutating func begin() throws(SyncRefusal) {
    let now = clock()
    recoverLeftover()
    try file.checkIsReplaceable()
    let text: [UInt8]
    do throws(FileProblem) {
      guard let (content, stamp) = try file.read() else { throw FileProblem("it is being written by another program") }
      text = content
      (knownStamp, knownStatus) = (stamp, file.status)
    } catch { throw SyncRefusal("\(file.path): \(error.reason)") }
    let snapshot = store.snapshot
    let isUnchanged = record.version(of: text) != nil
    base = Version(text: text, root: snapshot.root, isExact: false)
    let root: Root
    let change: ConcurrentChange<Root>
    do throws(FileProblem) {
      (root, change) = try self.change(to: text)
    } catch {
      // A text that the record knows has become invalid because the model has changed.
      if isUnchanged { return write(at: now) }
      if hasStoreChanged(since: snapshot) != true { return reject(text, error.reason) }
      if keep(text, because: "the store has changed too, and \(error.reason)") { write(at: now) }
      return
    }
    guard let place = change.firstPlace, !isUnchanged else {
      base = Version(text: text, root: root)
      fileHasBase = true
      return write(at: now)
    }
    switch hasStoreChanged(since: snapshot) {
    case false?: return merge(text, at: now)
    case true?:
      guard keep(text, because: "both the file and the store have changed, and they differ at \(place)") else { return }
    case nil:
      guard keep(text, because: "the store has another value at \(place), and was not in step before") else { return }
    }
    base = Version(text: text, root: root)
    write(at: now)
  }

  /// Returns whether the store has changed since the file was last written; nil if that is not known.
  private func hasStoreChanged(since snapshot: Snapshot<Root>) -> Bool? {
    // While the file is being replaced, the record has two versions, and either may have been the last one.
    record.versions.isEmpty ? nil : !record.versions.allSatisfy { $0.revision == snapshot.revision }
  }

  /// Takes care of what an interrupted write has left behind.
  mutating func recoverLeftover() {
    guard let text = file.leftover() else { return }
    if record.version(of: text) == nil, text != base.text {
      guard keep(text, because: "another program changed it while it was being replaced") else { return }
    }
    file.removeLeftover()
  }
}

extension SyncEngine {
  /// The result of merging a change.
  enum MergeResult {
    case merged(Snapshot<Root>)
    case conflict(at: String)
    case failed(String)
  }

  /// Decodes a text, and finds out what it changes.
  ///
  /// Members that the text omits take their defaults, as in the data of a new store.
  func change(to text: [UInt8]) throws(FileProblem) -> (root: Root, change: ConcurrentChange<Root>) {
    let document: JSONDocument
    do throws(JSONSyntaxError) { document = try JSONDocument(parsing: text) } catch {
      throw FileProblem("invalid JSON: \(error.reason) \(Self.position(of: error.offset, in: text))")
    }
    var decoding = Decoding(.creating)
    let root: Root
    do throws(ValidationError) { root = try store.model.shape.decode(document.root, &decoding) } catch {
      throw FileProblem("\(error)")
    }
    do throws(RestoreError) {
      return (root, try ConcurrentChange(of: store.model, from: base.root, to: root))
    } catch { throw FileProblem("\(error)") }
  }

  private static func position(of offset: Int, in text: [UInt8]) -> String {
    let before = text[..<min(offset, text.count)]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return "at line \(line), column \(String(decoding: before[start...], as: UTF8.self).count + 1)"
  }

  /// Commits a change, and waits until it is stored.
  ///
  /// - Throws: ``FileProblem`` if the result would break a rule of the model.
  func commit(_ change: ConcurrentChange<Root>) throws(FileProblem) -> MergeResult {
    typealias Failure = ConcurrentChange<Root>.Failure
    typealias Outcome = Result<(Result<Void, Failure>, Snapshot<Root>), JournalFailure>
    let outcome: Outcome
    do throws(Errno) {
      let pending = try PendingValue<Outcome>()
      let result = store.transact(
        attempts: 3,
        { head -> (Result<Void, Failure>, Store<Root>.Draft) in
          do throws(Failure) {
            let root = try change.merged(into: head.root)
            return (.success(()), store.model.shape.areSame(root, head.root) ? .unchanged : .changed(root))
          } catch { return (.failure(error), .unchanged) }
        }, completion: { pending.set($0) })
      if case .published(let decision, let snapshot) = result {
        outcome = .success((decision, snapshot))
      } else {
        outcome = pending.wait()
      }
    } catch { return .failed("\(error)") }
    switch outcome {
    case .failure(let failure): return .failed(failure.reason)
    case .success((.success, let snapshot)): return .merged(snapshot)
    case .success((.failure(.conflict(let pointer)), _)): return .conflict(at: pointer)
    case .success((.failure(.invalid(let error)), _)): throw FileProblem("\(error)")
    }
  }

  /// Returns the text of the file for a state.
  func text(of root: Root) -> [UInt8] {
    let shape = store.model.shape
    return DataText.text(
      of: shape.data(root), shape.type, like: (base.text, base.isExact ? shape.data(base.root) : nil))
  }
}
