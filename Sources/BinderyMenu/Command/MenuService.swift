import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyOpenAPI
import BinderyService

/// Assembles the service of the menu.
package enum MenuService {
  /// The title in the OpenAPI document.
  package static let title = "Bindery"

  /// The OpenAPI document of the menu, as served at `/openapi.yaml` and stored in the repository.
  package static var openAPI: String {
    OpenAPIDocument(of: Menu.example, title: title, version: Command.version).yaml
  }

  /// Creates the service and binds its addresses.
  static func make(_ options: Options, _ persistence: Persistence, _ access: AccessPolicy, _ log: ServerLog)
    throws(ServiceError) -> Service<Menu>
  {
    var documents = [
      "/openapi.yaml": StaticDocument("application/yaml; charset=utf-8") { Array(openAPI.utf8) }
    ]
    for file in WebPage.files {
      documents[file.path] = StaticDocument(file.mediaType, policy: WebPage.contentSecurityPolicy, isPublic: true) {
        file.bytes
      }
    }
    return try Service(
      persistence.store, key: persistence.key, listeningOn: options.listen,
      eventLoops: options.threads == 0 ? Processors.count : options.threads, documents: documents,
      history: persistence.journal, access: access, journalFailure: persistence.journalFailure,
      metrics: [persistence.metrics, { log.collect(into: &$0) }, BuildInfo.collect],
      accessLog: options.logsRequests ? log.logger : nil)
  }
}
