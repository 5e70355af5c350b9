// How often a second a disk can be waited for: `disk FOLDER SECONDS` prints two rates. One appends a page to a file and
// waits for it (fdatasync); the other commits one row to SQLite (WAL, synchronous=FULL), one after another.
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

static int failed(const char *what) {
  perror(what);
  return 1;
}

static int pages(double seconds) {
  static char page[4096];
  int file = open("pages", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return failed("pages");
  double began = now(), end = began;
  long count = 0;
  for (; end - began < seconds; count++, end = now()) {
    memset(page, (int)count, sizeof page);
    if (write(file, page, sizeof page) != sizeof page || fdatasync(file)) return failed("pages");
  }
  close(file);
  unlink("pages");
  printf("%.1f\n", (double)count / (end - began));
  return 0;
}

static int rows(double seconds) {
  sqlite3 *database;
  sqlite3_stmt *insert;
  if (sqlite3_open("rows", &database) ||
      sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (text TEXT)", NULL,
                   NULL, NULL) ||
      sqlite3_prepare_v2(database, "INSERT INTO row VALUES (printf('%.*c', 300, 'x'))", -1, &insert, NULL))
    return fprintf(stderr, "rows: %s\n", sqlite3_errmsg(database)), 1;
  double began = now(), end = began;
  long count = 0;
  for (; end - began < seconds; count++, end = now())
    if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert))
      return fprintf(stderr, "rows: %s\n", sqlite3_errmsg(database)), 1;
  sqlite3_finalize(insert);
  sqlite3_close(database);
  unlink("rows");
  printf("%.1f\n", (double)count / (end - began));
  return 0;
}

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "disk FOLDER SECONDS\n"), 2;
  if (chdir(arguments[1])) return failed(arguments[1]);
  double seconds = atof(arguments[2]);
  return pages(seconds) || rows(seconds);
}
