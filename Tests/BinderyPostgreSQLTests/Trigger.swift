import BinderyPostgreSQL

extension SharedState {
  private var faultName: String { "fault_\(document.replacing("-", with: "_").lowercased())" }

  /// Lets the database run a PL/pgSQL statement when a batch of this state is appended.
  ///
  /// - Parameter atCommit: Whether it runs at the commit, after the statement that appends.
  func trigger(_ statement: String, atCommit: Bool = false) throws {
    let editor = try storage()
    defer { editor.close() }
    try editor.run(
      test: """
        CREATE OR REPLACE FUNCTION \(faultName)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF NEW.document = '\(document)' THEN \(statement); END IF; RETURN NEW; END $$
        """)
    let kind = atCommit ? "CREATE CONSTRAINT TRIGGER \(faultName) AFTER" : "CREATE TRIGGER \(faultName) BEFORE"
    let time = atCommit ? "DEFERRABLE INITIALLY DEFERRED" : ""
    try editor.run(
      test: "\(kind) INSERT ON bindery.batch \(time) FOR EACH ROW EXECUTE FUNCTION \(faultName)()")
  }

  /// Removes the trigger.
  func removeTrigger() throws {
    let editor = try storage()
    defer { editor.close() }
    try editor.run(test: "DROP TRIGGER \(faultName) ON bindery.batch")
  }
}
