// Measures the synchronous write rate of a disk: `disk FOLDER SECONDS` prints two rates, in writes per second. First
// it appends pages to a file with fdatasync after each; then it commits rows to SQLite (WAL, synchronous=FULL) one by
// one.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int failed(const char *name) {
  perror(name);
  return 1;
}

static int measure_pages(double seconds) {
  static char page[4096];
  int file = open("pages", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return failed("pages");
  double started_at = now(), end = started_at;
  long count = 0;
  for (; end - started_at < seconds; count++, end = now()) {
    memset(page, (int)count, sizeof page);
    if (write(file, page, sizeof page) != sizeof page || fdatasync(file)) return failed("pages");
  }
  close(file);
  unlink("pages");
  printf("%.1f\n", (double)count / (end - started_at));
  return 0;
}

static int measure_rows(double seconds) {
  sqlite3 *database;
  sqlite3_stmt *insert;
  if (sqlite3_open("rows", &database) ||
      sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (text TEXT)", NULL,
                   NULL, NULL) ||
      sqlite3_prepare_v2(database, "INSERT INTO row VALUES (printf('%.*c', 300, 'x'))", -1, &insert, NULL))
    return fprintf(stderr, "rows: %s\n", sqlite3_errmsg(database)), 1;
  double started_at = now(), end = started_at;
  long count = 0;
  for (; end - started_at < seconds; count++, end = now())
    if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert))
      return fprintf(stderr, "rows: %s\n", sqlite3_errmsg(database)), 1;
  sqlite3_finalize(insert);
  sqlite3_close(database);
  unlink("rows");
  printf("%.1f\n", (double)count / (end - started_at));
  return 0;
}

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "disk FOLDER SECONDS\n"), 2;
  if (chdir(arguments[1])) return failed(arguments[1]);
  double seconds = atof(arguments[2]);
  return measure_pages(seconds) || measure_rows(seconds);
}
