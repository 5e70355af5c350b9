import BinderyCore
import BinderyDigest
import BinderyHTTP

/// The options of a request for an event stream.
struct StreamOptions {
  /// The form of the events.
  enum Form {
    /// Each event is the current value of one place.
    case values
    /// The first event is the value of one place; the following ones are JSON Patches.
    case patches(PatchBuilder.Addressing)
    /// Each event has the changes of several places. `list` is the digest of the list of paths, which event ids
    /// contain; nil for events without ids.
    case multiple(list: Digest?)
  }

  let form: Form
  /// The tag of the last event that the client received.
  let cursor: String?
  /// The version that this event showed; nil if it is not known.
  let seen: StateVersion?
  /// The versions that the client has seen and that this server may not have.
  var missing: [StateVersion] = []
  /// The minimum time between two events.
  let minimumIntervalMilliseconds: Int64

  /// Reads the options from a request.
  ///
  /// The `Last-Event-ID` header takes precedence over the query parameter. The parameter is for the first connection
  /// of a browser page, which cannot set the header.
  init(_ form: Form, _ query: Query, _ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    self.form = form
    let id = head.first(.lastEventID).map { bytes.text($0) } ?? query["last-event-id"]
    cursor = id.map(EventID.tag)
    seen = id.flatMap(EventID.version)
    minimumIntervalMilliseconds = Int64(try query.minimumInterval)
  }

  /// Creates the options of `POST /events`, whose body says what the client has.
  init(posted query: Query) throws(Problem) {
    form = .multiple(list: nil)
    (cursor, seen) = (nil, nil)
    minimumIntervalMilliseconds = Int64(try query.minimumInterval)
  }
}

extension Query {
  /// The parameters of every event stream.
  static let streamParameters = ["every", "last-event-id"]

  /// The form of the events of a one-place stream, from the parameters `as` and `ids`.
  var form: StreamOptions.Form {
    get throws(Problem) {
      switch self["as"] {
      case nil, "value": .values
      case "patch": .patches(try flag("ids") ? .ids : .indices)
      case let form?: throw Problem(.malformedQuery, "Expected “as” to be value or patch, got “\(form)”.")
      }
    }
  }

  /// The minimum time between two events in milliseconds, from the parameter `every`.
  var minimumInterval: Int { get throws(Problem) { try number("every", in: 0...3_600_000) ?? 0 } }
}
