/// The tables of a store in PostgreSQL. The id of the document is part of every key.
enum PostgreSQLSchema {
  /// The format that this program writes and reads.
  static let format = 1

  /// Creates the tables and functions unless they exist. One statement, because the server may be far away.
  private static let creation = """
    DO $create$ BEGIN
    IF \(isPresent) THEN
      RETURN;
    END IF;
    CREATE TABLE bindery.document (
      id text PRIMARY KEY,
      format bigint NOT NULL,
      revision bigint NOT NULL,
      chain bytea NOT NULL,
      token bigint NOT NULL,
      history text NOT NULL,
      timeline text NOT NULL,
      size bigint NOT NULL,
      fence bigint NOT NULL,
      ended bigint NOT NULL);
    CREATE TABLE bindery.batch (
      document text NOT NULL,
      last bigint NOT NULL,
      first bigint NOT NULL,
      at bigint NOT NULL,
      start bigint NOT NULL,
      size bigint NOT NULL,
      nonce bytea NOT NULL,
      previous bytea NOT NULL,
      chain bytea NOT NULL,
      patches bytea NOT NULL,
      layout bigint NOT NULL,
      PRIMARY KEY (document, last));
    CREATE TABLE bindery.keyed (
      document text NOT NULL,
      last bigint NOT NULL,
      total bigint NOT NULL,
      at bigint NOT NULL,
      results bytea NOT NULL,
      PRIMARY KEY (document, last));
    CREATE TABLE bindery.snapshot (
      document text NOT NULL,
      revision bigint NOT NULL,
      writer bytea NOT NULL,
      chain bytea NOT NULL,
      layout text NOT NULL,
      pieces bigint NOT NULL,
      PRIMARY KEY (document, revision, writer));
    CREATE TABLE bindery.piece (
      document text NOT NULL,
      revision bigint NOT NULL,
      writer bytea NOT NULL,
      number bigint NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (document, revision, writer, number));
    CREATE TABLE bindery.setting (
      document text NOT NULL,
      name text NOT NULL,
      value bytea NOT NULL,
      PRIMARY KEY (document, name));
    CREATE TABLE bindery.layout (
      document text NOT NULL,
      number bigint NOT NULL,
      digest bytea NOT NULL,
      layout text NOT NULL,
      PRIMARY KEY (document, number),
      UNIQUE (document, digest));
    CREATE TABLE bindery.session_end (
      document text NOT NULL,
      session bytea NOT NULL,
      number bigint NOT NULL,
      expires bigint NOT NULL,
      PRIMARY KEY (document, session),
      UNIQUE (document, number));
    CREATE TABLE bindery.lease (
      document text PRIMARY KEY,
      holder bytea NOT NULL,
      until timestamptz NOT NULL);
    BEGIN
      EXECUTE 'ALTER TABLE bindery.batch ALTER COLUMN patches SET COMPRESSION lz4';
    -- PostgreSQL may be older than 14, or may have been built without LZ4.
    EXCEPTION WHEN feature_not_supported OR syntax_error THEN NULL;
    END;
    \(PostgreSQLFunctions.append);
    \(PostgreSQLFunctions.readHead);
    CREATE TABLE bindery.replica (
      document text NOT NULL,
      id bytea NOT NULL,
      at timestamptz NOT NULL,
      PRIMARY KEY (document, id));
    END $create$
    """

  /// The presence of one table shows that of all others.
  private static let isPresent =
    "EXISTS (SELECT FROM pg_tables WHERE schemaname = 'bindery' AND tablename = 'replica')"

  /// Returns whether a database has the tables.
  static func exists(_ connection: PostgreSQLConnection, within milliseconds: Int64) throws(PostgreSQLError) -> Bool {
    try connection.run("SELECT \(isPresent)", within: milliseconds).bytes(0, 0) == [1]
  }

  /// Creates the tables and functions unless they exist. Called in a transaction, in which each statement sees what was
  /// committed before it.
  static func create(_ connection: PostgreSQLConnection, within milliseconds: Int64) throws(PostgreSQLError) {
    guard try !exists(connection, within: milliseconds) else { return }
    // Programs that find none at the same moment create them one after the other. PostgreSQL would refuse one of two
    // transactions that create the same object, even with IF NOT EXISTS. The lock ends with the transaction.
    try connection.run("SELECT pg_advisory_xact_lock(hashtext('bindery'))", within: milliseconds)
    // Creating the schema needs a right that the owner of an existing schema does not need.
    let found = try connection.run(
      "SELECT NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'bindery'), quote_ident(current_user)",
      within: milliseconds)
    if found.bytes(0, 0) == [1] {
      do throws(PostgreSQLError) {
        try connection.run("CREATE SCHEMA bindery", within: milliseconds)
      } catch {
        guard error.isForbidden else { throw error }
        throw .unusable(
          "the schema “bindery” does not exist, and this role may not create it (\(error)): let the owner of the "
            + "database run CREATE SCHEMA bindery AUTHORIZATION \(found.text(0, 1))")
      }
    }
    do throws(PostgreSQLError) {
      try connection.run(creation, within: milliseconds)
    } catch {
      guard error.isForbidden else { throw error }
      throw .unusable(
        "this role may not create the tables in the schema “bindery” (\(error)): let its owner run ALTER SCHEMA "
          + "bindery OWNER TO \(found.text(0, 1)), or start one server with the role of the owner")
    }
  }
}
