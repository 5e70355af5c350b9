import Bindery
import FoundationEssentials

/// The state of the service: devices, the sites where they are installed, and the rollout of a firmware.
struct Fleet: Equatable {
  var devices = Identified<Device>()
  /// The sites by their code, such as `berlin`.
  var sites: [String: Site] = [:]
  var rollout = Rollout.idle
}

/// A place where devices are installed.
struct Site: Editable, Equatable {
  var name: String
  var contact: String?
  var location: Location?

  static let shape = EditableShape<Site>.members(
    Site.init,
    StoredMember("name", \.name, .length(1...60), .notBlank),
    StoredMember("contact", \.contact, default: nil),
    StoredMember("location", \.location, default: nil))
}

/// A point on the map, in degrees.
struct Location: Editable, Equatable {
  var latitude: Double
  var longitude: Double

  static let shape = EditableShape<Location>.members(
    Location.init,
    StoredMember("latitude", \.latitude, .within(-90...90)),
    StoredMember("longitude", \.longitude, .within(-180...180)))
}

extension Fleet: StateModel {
  /// The number of devices in each condition.
  var summary: Summary {
    var summary = Summary(devices: devices.count)
    for device in devices {
      switch device.connection {
      case .neverSeen: summary.neverSeen += 1
      case .online: summary.online += 1
      case .offline: summary.offline += 1
      }
      if device.heartbeat?.health.fault != nil { summary.degraded += 1 }
      if let version = rollout.version, device.heartbeat?.firmware == version { summary.updated += 1 }
    }
    return summary
  }

  /// The devices with a fault. Setting `isAcknowledged` of an alert marks the device.
  var alerts: Identified<Alert> {
    get { Identified(uniquing: devices.compactMap(Alert.init)) }
    set {
      for alert in newValue where devices[id: alert.id]?.isAcknowledged != alert.isAcknowledged {
        devices.edit(id: alert.id) { $0.isAcknowledged = alert.isAcknowledged }
      }
    }
  }

  /// The version that devices should have. Setting another one starts its rollout at 0 percent, and nil ends the rollout.
  var targetVersion: String? {
    get { rollout.version }
    set {
      guard newValue != targetVersion else { return }
      rollout = newValue.map { .running(Wave(version: $0)) } ?? .idle
    }
  }

  static let shape = EditableShape<Fleet>.members(
    Fleet.init(devices:sites:rollout:),
    StoredMember("devices", \.devices, .count(0...10_000)),
    StoredMember("sites", \.sites),
    StoredMember("rollout", \.rollout),
    computed: [
      ComputedMember("summary", readOnly: \.summary, from: \.devices, \.rollout),
      ComputedMember("alerts", \.alerts, from: \.devices, filling: .editsOnly),
      ComputedMember("targetVersion", \.targetVersion, from: \.rollout),
    ])

  /// Keeps the sites of devices valid, and the progress of a rollout.
  mutating func settle(from base: Fleet) throws(InvalidState) {
    for device in devices.elements(changedSince: base.devices) {
      guard let site = device.site, sites[site] == nil, site != base.devices[id: device.id]?.site else { continue }
      throw InvalidState("no site has the code “\(site)”", at: Fleet.places.devices[id: device.id].site.path)
    }
    // The devices of a removed site are not installed any more.
    if sites.keys != base.sites.keys {
      for device in devices {
        if let site = device.site, sites[site] == nil { devices.edit(id: device.id) { $0.site = nil } }
      }
    }
    if let wave = rollout.wave, let before = base.rollout.wave, wave.version == before.version,
      wave.percent < before.percent
    {
      throw InvalidState(
        "the rollout of \(wave.version) has reached \(before.percent) percent, and cannot go back", at: "/rollout")
    }
  }
}

/// The number of devices in each condition.
struct Summary: Editable, Equatable {
  let devices: Int
  var online = 0
  var offline = 0
  var neverSeen = 0
  var degraded = 0
  /// The devices that have the version of the rollout.
  var updated = 0

  static let shape = EditableShape<Summary>.members(
    Summary.init,
    StoredMember("devices", readOnly: \.devices),
    StoredMember("online", readOnly: \.online),
    StoredMember("offline", readOnly: \.offline),
    StoredMember("neverSeen", readOnly: \.neverSeen),
    StoredMember("degraded", readOnly: \.degraded),
    StoredMember("updated", readOnly: \.updated))
}

/// A fault that a person should see.
struct Alert: Editable, Identifiable, Equatable {
  let id: Device.ID
  let device: String
  let fault: Fault
  var isAcknowledged: Bool

  static let shape = EditableShape<Alert>.members(
    Alert.init(id:device:fault:isAcknowledged:),
    StoredMember("id", id: \.id),
    StoredMember("device", readOnly: \.device),
    StoredMember("fault", readOnly: \.fault),
    StoredMember("isAcknowledged", \.isAcknowledged))
}

extension Alert {
  /// Creates the alert of a device; nil if it has no fault.
  init?(_ device: Device) {
    guard let fault = device.heartbeat?.health.fault else { return nil }
    self.init(id: device.id, device: device.name, fault: fault, isAcknowledged: device.isAcknowledged)
  }
}
