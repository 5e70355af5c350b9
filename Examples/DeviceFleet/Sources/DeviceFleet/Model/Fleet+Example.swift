import FoundationEssentials

extension Fleet {
  /// The fleet of a new store, and of the examples in the OpenAPI document: two sites and four devices.
  static let example = Fleet(
    devices: [
      Device(number: 1, "Entrance sensor", site: "berlin"), Device(number: 2, "Cold room", site: "berlin"),
      Device(number: 3, "Roof station", site: "rome"), Device(number: 4, "Spare gateway"),
    ],
    sites: [
      "berlin": Site(name: "Berlin", location: Location(latitude: 52.52, longitude: 13.4)),
      "rome": Site(name: "Roma", contact: "roma@example.com"),
    ])
}

extension Device {
  /// Creates an example with a fixed id.
  init(number: UInt8, _ name: String, site: String? = nil) {
    // UUID version 8 (RFC 9562 §5.8) allows custom bits.
    let id = UUID(uuid: (0xDE, 0x71, 0xCE, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    self.init(id: id, name: name, site: site)
  }
}
