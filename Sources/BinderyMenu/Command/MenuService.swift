import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyOpenAPI
import BinderyService

/// The menu as a service: what the executable composes.
package enum MenuService {
  package static let title = "Bindery"

  /// The OpenAPI document of the menu, as it is served and as it stands in the repository.
  package static var openAPI: String {
    OpenAPIDocument(of: Menu.example, title: title, version: Command.version).yaml
  }

  static func make(_ options: Options, _ persistence: Persistence, _ access: AccessPolicy, _ log: ServerLog)
    throws(ServiceError) -> Service<Menu>
  {
    var documents = [
      "/openapi.yaml": StaticDocument("application/yaml; charset=utf-8") { Array(openAPI.utf8) }
    ]
    for file in WebPage.files {
      documents[file.path] = StaticDocument(file.mediaType, policy: WebPage.contentSecurityPolicy, isForAll: true) {
        file.bytes
      }
    }
    return try Service(
      persistence.store, key: persistence.key, listeningOn: options.listen,
      eventLoops: options.threads == 0 ? Processors.count : options.threads, documents: documents,
      history: persistence.journal, access: access, trouble: persistence.trouble,
      metrics: [persistence.metrics, { log.collect(into: &$0) }, BuildInfo.collect],
      accessLog: options.logsRequests ? log.logger : nil)
  }
}
