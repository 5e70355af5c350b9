import Digests
package import Menu
import Resources
package import Serving
import Shapes
import State

/// The menu as a service: what the executable composes.
package enum MenuService {
  /// The OpenAPI document of the menu, as it is served and as it stands in the repository.
  package static let openAPI = ""

  package static func make(_ options: Options, _ clock: DayClock) throws(ServiceError) -> Service<Menu> {
    let now = clock.now
    return try Service(
      Store(Menu(today: now.today, evening: now.evening)), key: .random(), listeningOn: options.listen,
      eventLoops: options.threads == 0 ? Processors.count : options.threads, title: "Bindery",
      documents: ["/openapi.yaml": Document("application/yaml; charset=utf-8", openAPI)])
  }
}
