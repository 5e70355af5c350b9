import Digests
package import Menu
import Resources
package import Serving
import State
import WebPage

/// The menu as a service: what the executable composes.
package enum MenuService {
  package static let title = "Bindery"

  /// The OpenAPI document of the menu, as it is served and as it stands in the repository.
  package static var openAPI: String {
    OpenAPIDocument(of: Menu.example, title: title, version: Command.version).yaml
  }

  package static func make(_ options: Options, _ clock: DayClock) throws(ServiceError) -> Service<Menu> {
    let now = clock.now
    var documents = [
      "/openapi.yaml": Document("application/yaml; charset=utf-8") { Array(openAPI.utf8) }
    ]
    for file in WebPage.files {
      documents[file.path] = Document(file.mediaType, policy: WebPage.contentSecurityPolicy) { file.bytes }
    }
    return try Service(
      Store(Menu(today: now.today, evening: now.evening)), key: .random(), listeningOn: options.listen,
      eventLoops: options.threads == 0 ? Processors.count : options.threads, documents: documents)
  }
}
