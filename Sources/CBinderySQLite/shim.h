#pragma once
#include <errno.h>
#include <sqlite3.h>
#include <string.h>

// SQLITE_TRANSIENT is a cast of -1, which Swift cannot import: SQLite copies what it is given.
static inline int bindery_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_text(statement, index, (const char *)(bytes ? bytes : ""), count, SQLITE_TRANSIENT);
}

static inline int bindery_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic, which Swift cannot import. What a database brings along in its schema is not run.
static inline void bindery_distrust(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
