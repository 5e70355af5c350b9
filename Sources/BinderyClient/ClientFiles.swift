/// The files of the browser client, which are embedded in the program.
package enum ClientFiles {
  /// The ECMAScript module.
  package static var module: [UInt8] { PackageResources.client_js }
  /// Its declarations for TypeScript.
  package static var declarations: [UInt8] { PackageResources.client_d_ts }
}
