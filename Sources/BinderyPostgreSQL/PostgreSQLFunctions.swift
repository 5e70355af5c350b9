/// The statements that create the functions of a store in PostgreSQL, for what servers do with each batch.
///
/// They are functions instead of statements, because a connection plans a function once: planning these statements
/// takes as long as appending 32 revisions, and a prepared statement does not work behind every connection pool. A
/// function with another body needs another name, because servers of both versions run during a rolling deploy.
enum PostgreSQLFunctions {
  /// The time of the server, in milliseconds since 1970.
  static let time = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

  /// The number of rows that a statement reads.
  static var rowLimit: Int { 16 }

  /// Selects batches that begin within 4 MiB of the first one after a revision, so that a statement reads no more than
  /// that and one batch.
  ///
  /// - Parameters:
  ///   - document: The expression for the id of the document.
  ///   - base: The expression for the revision.
  static func byteLimit(_ document: String, after base: String) -> String {
    """
    batch.start < 4194304 + (
      SELECT start FROM bindery.batch WHERE document = \(document) AND last > \(base) ORDER BY last LIMIT 1)
    """
  }

  /// Makes the commit of the transaction durable. Behind a connection pool, it may run on a connection on which this
  /// program has set nothing.
  private static let commitSettings = """
    IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;
    """

  /// Limits the time for which the transaction waits for locks and keeps its own, for the same reason.
  private static let lockSettings = """
    IF current_setting('lock_timeout') = '0' THEN
        PERFORM set_config('lock_timeout', '\(DatabaseTimeouts().lockWait)', true);
      END IF;
      IF current_setting('idle_in_transaction_session_timeout') = '0' THEN
        PERFORM set_config('idle_in_transaction_session_timeout', '\(DatabaseTimeouts.idleTransaction)', true);
      END IF;
    """

  /// Appends a batch if the head is the one that its server knows. Returns 1 if the batch is stored, else 0.
  static let append = """
    CREATE FUNCTION bindery.append(
      document_id text, actual text, base bigint, base_chain bytea, base_token bigint, base_history text,
      first_revision bigint, last_revision bigint, last_time bigint, append_nonce bytea, last_chain bytea,
      lines bytea, model_layout bigint, result_count bigint, result_time bigint, result_lines bytea, new_history text
    ) RETURNS bigint LANGUAGE plpgsql AS $body$
    DECLARE
      start bigint;
    BEGIN
      \(commitSettings)
      \(lockSettings)
      UPDATE bindery.document
        SET revision = last_revision, chain = last_chain, size = size + octet_length(lines),
          fence = greatest(fence, model_layout), history = coalesce(new_history, history),
          token = token + (new_history IS NOT NULL)::int
        WHERE id = document_id AND revision = base AND chain = base_chain AND token = base_token
          AND history = base_history AND timeline = actual AND fence <= model_layout
        RETURNING size - octet_length(lines) INTO start;
      IF NOT FOUND THEN
        RETURN 0;
      END IF;
      INSERT INTO bindery.batch VALUES (
        document_id, last_revision, first_revision, last_time, start, octet_length(lines), append_nonce, base_chain,
        last_chain, lines, model_layout);
      IF result_count > 0 THEN
        INSERT INTO bindery.keyed VALUES (
          document_id, last_revision,
          result_count + coalesce((
            SELECT total FROM bindery.keyed WHERE document = document_id ORDER BY last DESC LIMIT 1), 0),
          result_time, result_lines);
      END IF;
      RETURN 1;
    END $body$
    """

  /// Returns the head, and the first batches after a revision: a row for each, with the head in front, or one row with
  /// the head alone if there are none. If the head is to be locked, they are read after the lock was acquired.
  ///
  /// It asks for a generic plan, because the planner expects less of a plan for a certain revision, and would plan each
  /// call.
  static let readHead = """
    CREATE FUNCTION bindery.read_head(document_id text, actual text, base bigint, is_locking boolean) RETURNS TABLE (
      revision bigint, chain bytea, token bigint, history text, timeline text, actual_timeline text, format bigint,
      "time" bigint, fence bigint, ended bigint, last bigint, first bigint, nonce bytea, previous bytea,
      batch_chain bytea, patches bytea, layout bigint, results bytea
    ) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $body$
    #variable_conflict use_column
    BEGIN
      IF is_locking THEN
        \(lockSettings)
        PERFORM 1 FROM bindery.document WHERE id = document_id FOR UPDATE;
      END IF;
      RETURN QUERY
        SELECT revision, chain, token, history, timeline, actual, format, \(time), fence, ended,
          next.*
        FROM bindery.document LEFT JOIN LATERAL (
          SELECT batch.last, batch.first, batch.nonce, batch.previous, batch.chain AS batch_chain, batch.patches,
            batch.layout, keyed.results
          FROM bindery.batch LEFT JOIN bindery.keyed USING (document, last)
          WHERE batch.document = document_id AND batch.last > base AND \(byteLimit("document_id", after: "base"))
          ORDER BY batch.last LIMIT \(rowLimit)
        ) next ON true
        WHERE id = document_id ORDER BY next.last;
    END $body$
    """
}
