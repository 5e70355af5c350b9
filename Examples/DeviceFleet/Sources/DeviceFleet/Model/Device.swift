import Bindery
import FoundationEssentials

/// A device in the field.
struct Device: Editable, Identifiable, Equatable {
  let id: UUID
  var name: String
  /// The code of its site; nil if it is not installed.
  var site: String?
  var note: String?
  var labels: [String: String] = [:]
  /// Whether a person has seen the current fault.
  var isAcknowledged = false
  /// Whether the device is online, and its last report. Clients change it only through ``heartbeat``.
  private(set) var connection = Connection.neverSeen

  /// The last report. Setting a newer one brings the device online; an older one is ignored.
  var heartbeat: Report? {
    get { connection.report }
    set {
      guard let report = newValue, report.at > connection.report?.at ?? .distantPast else { return }
      if report.health.fault != connection.report?.health.fault { isAcknowledged = false }
      connection = .online(report)
    }
  }

  static let shape = EditableShape<Device>.members(
    Device.init(id:name:site:note:labels:isAcknowledged:connection:),
    StoredMember("id", id: \.id, new: { UUID() }),
    StoredMember("name", \.name, .length(1...60), .notBlank, .noControlCharacters),
    StoredMember("site", \.site, default: nil),
    StoredMember("note", \.note, default: nil),
    StoredMember("labels", \.labels, default: [:]),
    StoredMember("isAcknowledged", \.isAcknowledged, default: false),
    StoredMember("connection", readOnly: \.connection, default: .neverSeen),
    computed: [ComputedMember("heartbeat", \.heartbeat, from: \.connection)])
}

extension Device {
  /// Marks the device as offline, if it is online and its last report is from before a time.
  ///
  /// - Parameter now: The current time. A report from the future, of a device with a wrong clock, is set back to it.
  mutating func checkHeartbeat(since time: Date, now: Date) {
    guard case .online(var report) = connection else { return }
    if report.at > now {
      report.at = now
      connection = .online(report)
    } else if report.at < time {
      connection = .offline(since: now, last: report)
    }
  }
}

/// Whether a device is online.
enum Connection: Editable, Equatable {
  case neverSeen
  case online(Report)
  case offline(since: Date, last: Report)

  /// The last report of the device.
  var report: Report? {
    switch self {
    case .neverSeen: nil
    case .online(let report), .offline(_, let report): report
    }
  }

  static let online = EnumCase("online", Connection.online) { if case .online(let report) = $0 { report } else { nil } }
  static let offline = EnumCase(
    "offline", Connection.offline(since:last:), StoredMember("since", \.0), StoredMember("last", \.1)
  ) {
    if case .offline(let since, let report) = $0 { (since, report) } else { nil }
  }
  static let shape = EditableShape<Connection>.cases(
    EnumCase("neverSeen", Connection.neverSeen), online, offline)
}

/// What a device says about itself.
struct Report: Editable, Equatable {
  /// The time of the report, by the clock of the device.
  var at: Date
  var firmware: String
  /// The charge in percent; nil if the device has no battery.
  var battery: Int?
  var health = Health.good

  static let shape = EditableShape<Report>.members(
    Report.init,
    StoredMember("at", \.at),
    StoredMember("firmware", \.firmware, .length(1...40)),
    StoredMember(
      "battery", \.battery, Constraint("nil or 0 to 100") { $0.map((0...100).contains) ?? true }, default: nil),
    StoredMember("health", \.health, default: .good))
}

/// The health of a device, with the fault it has.
enum Health: Editable, Equatable {
  case good
  case degraded(Fault)

  var fault: Fault? { if case .degraded(let fault) = self { fault } else { nil } }

  static let degraded = EnumCase("degraded", Health.degraded) { $0.fault }
  static let shape = EditableShape<Health>.cases(EnumCase("good", Health.good), degraded)
}

/// A fault of a device.
enum Fault: Editable, Equatable {
  case overheating(celsius: Double)
  case lowBattery
  case other(code: Int, text: String)

  static let overheating = EnumCase("overheating", label: "celsius", Fault.overheating(celsius:)) {
    if case .overheating(let celsius) = $0 { celsius } else { nil }
  }
  static let other = EnumCase(
    "other", Fault.other(code:text:), StoredMember("code", \.0), StoredMember("text", \.1, .length(0...200))
  ) {
    if case .other(let code, let text) = $0 { (code, text) } else { nil }
  }
  static let shape = EditableShape<Fault>.cases(overheating, EnumCase("lowBattery", Fault.lowBattery), other)
}
