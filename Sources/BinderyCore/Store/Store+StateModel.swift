package import BinderyDigest

extension Store where Root: StateModel {
  /// Creates a store without a journal: commits are published immediately and are lost when the process ends.
  ///
  /// - Parameter root: the initial state, which is revision 0.
  public convenience init(_ root: Root) { self.init(root, journal: nil) }

  /// Creates a store of a model in Swift, like ``init(_:of:revision:journal:recorder:key:history:keyedResults:)``.
  package convenience init(
    _ root: Root, revision: Int = 0, journal: (any Journal)? = nil, key: DigestKey = .random(),
    history: HistoryID = .random()
  ) {
    self.init(root, of: ModelDefinition(), revision: revision, journal: journal, key: key, history: history)
  }
}
