// Inserts rows into PostgreSQL as fast as libpq can, and prints the rows per second.
//
//   rows URL SECONDS BYTES GROUP
//
// Each transaction inserts GROUP rows of BYTES bytes of patches each, in pipeline mode: the rows are sent without
// waiting for their results, and the next group when this one is committed. The table has the columns of bindery.batch.
#include <endian.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static PGconn *connection;

static void check(int is_right) {
  if (is_right) return;
  fprintf(stderr, "rows: %s", PQerrorMessage(connection));
  exit(1);
}

static double now_s(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void run(const char *statement) {
  PGresult *result = PQexec(connection, statement);
  check(PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK);
  PQclear(result);
}

int main(int count, char **arguments) {
  if (count != 5) return fprintf(stderr, "usage: rows URL SECONDS BYTES GROUP\n"), 1;
  double seconds = atof(arguments[2]);
  int bytes = atoi(arguments[3]), group = atoi(arguments[4]);
  connection = PQconnectdb(arguments[1]);
  check(PQstatus(connection) == CONNECTION_OK);
  run("SET client_min_messages = warning");
  run("SET synchronous_commit = on");
  run("DROP TABLE IF EXISTS rows");
  run("CREATE TABLE rows (document text NOT NULL, last bigint NOT NULL, first bigint NOT NULL, at bigint NOT NULL,"
      " start bigint NOT NULL, size bigint NOT NULL, nonce bytea NOT NULL, previous bytea NOT NULL,"
      " chain bytea NOT NULL, patches bytea NOT NULL, PRIMARY KEY (document, last))");
  PGresult *prepared = PQprepare(
      connection, "insert",
      "INSERT INTO rows VALUES ('state', $1::bigint, $1::bigint, $1::bigint, $1::bigint, $1::bigint, $2, $3, $3, $4)",
      4, NULL);
  check(PQresultStatus(prepared) == PGRES_COMMAND_OK);
  PQclear(prepared);
  check(PQenterPipelineMode(connection));
  char *patches = malloc(bytes), nonce[24], hash[32];
  memset(patches, 'p', bytes);
  memset(nonce, 'n', sizeof nonce);
  memset(hash, 'h', sizeof hash);
  int64_t number = 0;
  double start = now_s();
  while (now_s() - start < seconds) {
    for (int row = 0; row < group; row += 1) {
      int64_t key = htobe64(++number);
      const char *values[] = {(char *)&key, nonce, hash, patches};
      int lengths[] = {8, sizeof nonce, sizeof hash, bytes}, formats[] = {1, 1, 1, 1};
      check(PQsendQueryPrepared(connection, "insert", 4, values, lengths, formats, 1));
    }
    // Ends the transaction.
    check(PQpipelineSync(connection));
    for (int row = 0; row < group; row += 1) {
      PGresult *result = PQgetResult(connection);
      check(PQresultStatus(result) == PGRES_COMMAND_OK);
      PQclear(result);
      check(!PQgetResult(connection));
    }
    PGresult *result = PQgetResult(connection);
    check(PQresultStatus(result) == PGRES_PIPELINE_SYNC);
    PQclear(result);
  }
  printf("%.1f\n", number / (now_s() - start));
  check(PQexitPipelineMode(connection));
  run("DROP TABLE rows");
  PQfinish(connection);
}
