#pragma once
#include <errno.h>
#include <sqlite3.h>
#include <string.h>

// Swift cannot import SQLITE_TRANSIENT, a cast of -1, which makes SQLite copy the bytes. A null pointer would bind NULL
// instead of an empty value, so it is replaced.
static inline int bindery_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_text(statement, index, (const char *)(bytes ? bytes : ""), count, SQLITE_TRANSIENT);
}

static inline int bindery_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic, which Swift cannot import. Prevents triggers, views and functions in the schema of an
// untrusted database file from running.
static inline void bindery_disable_schema_code(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

// The error number of the last failed system call on the WAL file, which sqlite3_system_errno does not report if COMMIT
// fails.
static inline int bindery_wal_errno(sqlite3 *database) {
  sqlite3_file *file = 0;
  int number = 0;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK && file &&
      file->pMethods)
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}
