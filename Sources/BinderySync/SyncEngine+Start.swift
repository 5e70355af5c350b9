import BinderyCore
import BinderyJSON
import BinderySystem

extension SyncEngine {
  /// Synchronizes the file and the store at the start.
  ///
  /// The record shows which of the two has changed since the file was last written. If only the file has, its change is
  /// merged; if only the store has, the file is written. If both have changed and differ, the store wins, and the text
  /// of the file is kept.
  ///
  /// - Throws: ``SyncRefusal`` if the file cannot be synchronized.
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
    base = Version(text: text, root: store.snapshot.root, isExact: false)
    isBaseKnown = hasStoreChanged == false
    if record.version(of: text) != nil {
      // The text may have become invalid because the model has changed.
      if let root = try? decode(text) {
        base = version(text, root)
        (fileHasBase, isBaseKnown) = (base.isExact, true)
      }
      return write(at: now)
    }
    mergeFirst(text, at: now)
  }

  /// Merges a text that was not in the file when it was last written, before the file and the store have agreed.
  mutating func mergeFirst(_ text: [UInt8], at now: Int64) {
    do throws(FileProblem) { try mergeUnlessChanged(text, at: now) } catch {
      if hasStoreChanged != true { return reject(text, error.reason) }
      guard keep(text, because: "the store has changed too, and \(error.reason)") else { return }
      rejected = nil
      write(at: now)
    }
  }

  /// Merges a text if the store has not changed, or writes the file if it has.
  private mutating func mergeUnlessChanged(_ text: [UInt8], at now: Int64) throws(FileProblem) {
    let root = try decode(text)
    if let place = try change(to: root).firstPlace {
      let reason: String
      switch hasStoreChanged {
      case false?: return merge(text, at: now)
      case true?: reason = "both the file and the store have changed, and they differ at \(place)"
      case nil: reason = "the store has another value at \(place), and was not in step before"
      }
      guard keep(text, because: reason) else { return }
      base = version(text, root)
    } else {
      base = version(text, root)
      fileHasBase = base.isExact
    }
    rejected = nil
    write(at: now)
  }

  /// Returns whether the store has changed since the file was last written; nil if that is not known.
  private var hasStoreChanged: Bool? {
    // While the file is being replaced, the record has two versions, and either may have been the last one.
    let (revision, history) = (store.revision, store.history.text)
    return record.versions.isEmpty
      ? nil : !record.versions.allSatisfy { $0.revision == revision && $0.history == history }
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

  /// Decodes a text. Members that it omits take their defaults, as in the data of a new store.
  func decode(_ text: [UInt8]) throws(FileProblem) -> Root {
    let document: JSONDocument
    do throws(JSONSyntaxError) { document = try JSONDocument(parsing: text) } catch {
      let (line, column) = error.position(in: text)
      throw FileProblem("invalid JSON: \(error.reason) at line \(line), column \(column)")
    }
    var decoding = Decoding(.creating)
    do throws(ValidationError) { return try store.model.shape.decode(document.root, &decoding) } catch {
      let advice = error.code == .unknownMember ? "; to accept it, add it to the model and restart the server" : ""
      throw FileProblem("\(error)\(advice)")
    }
  }

  /// Returns a version of the file. It is not exact if the text leaves something to chance, such as a generated id.
  func version(_ text: [UInt8], _ root: Root) -> Version {
    let again = try? decode(text)
    let isExact = again.map { store.model.shape.areSame($0, root) } ?? false
    return Version(text: text, root: root, isExact: isExact, decodedAgain: isExact ? nil : again)
  }

  /// Returns what a text changes, compared with the last one that agreed with the store.
  func change(to root: Root) throws(FileProblem) -> ConcurrentChange<Root> {
    do throws(RestoreError) { return try ConcurrentChange(of: store.model, from: base.root, to: root) } catch {
      throw FileProblem("\(error)")
    }
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
            if store.model.shape.areSame(root, head.root) { return (.success(()), .unchanged) }
            return (.success(()), .changed(root, CommitMetadata(author: "data-file")))
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
    var earlier: [[UInt8]] = []
    if base.isExact || base.decodedAgain != nil { earlier.append(shape.data(base.root)) }
    if let again = base.decodedAgain { earlier.append(shape.data(again)) }
    return DataText.text(of: shape.data(root), shape.type, like: (base.text, earlier))
  }
}
