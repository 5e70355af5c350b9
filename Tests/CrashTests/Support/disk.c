// Records the file system calls of a program and makes them fail on demand. Preloaded with LD_PRELOAD.
//
// DISK_FOLDER   the prefix of the paths of all watched files; calls on other files are passed through
// DISK_RECORD   the file to which each write, truncation, removal and fsync of a watched file is appended.
//               DiskImage.swift builds from it the possible contents of the disk after a power failure at any moment.
// DISK_ORDERS   a file with the current faults, one per line: a call and the errno with which it fails, such as
//               `write 28` (ENOSPC), `fsync 5` (EIO) or `open 30` (EROFS). It is read at each call, so that a test
//               can change it while the program runs. `statfs TYPE` sets the type of the file system instead.
//
// The functions below issue raw system calls, because they replace the libc functions of the same names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MAX_FD = 4096, MAX_PATH = 512 };
// The path of the watched file for each descriptor; empty if the descriptor is not watched.
static char paths[MAX_FD][MAX_PATH];
// Keeps the header, path and data of an entry together in the record.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder, *faults_path;
static int record_fd = -1;

__attribute__((constructor)) static void start(void) {
  folder = getenv("DISK_FOLDER");
  faults_path = getenv("DISK_ORDERS");
  const char *file = getenv("DISK_RECORD");
  if (file) record_fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static int is_watched(const char *path) { return folder && path && strncmp(path, folder, strlen(folder)) == 0; }

// Returns the path of a watched descriptor; NULL if it is not watched.
static const char *watched_path(int fd) { return fd >= 0 && fd < MAX_FD && paths[fd][0] ? paths[fd] : NULL; }

// Returns the errno with which a call must fail now; 0 if there is no fault for it.
static long fault_for(const char *call) {
  if (!faults_path) return 0;
  char text[512];
  int fd = (int)syscall(SYS_openat, AT_FDCWD, faults_path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  ssize_t count = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  if (count <= 0) return 0;
  text[count] = 0;
  size_t length = strlen(call);
  for (char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
    if (strncmp(line, call, length) == 0 && line[length] == ' ') return atol(line + length);
  return 0;
}

// Appends an entry to the record: four native 64-bit numbers (kind, length of path, length of data, offset or new
// length), then the path and the data. Kinds: w write, t truncate, s sync, u unlink.
static void record_event(char kind, const char *path, uint64_t offset, const void *data, uint64_t count) {
  if (record_fd < 0) return;
  struct { uint64_t kind, path_length, count, offset; } header = { (uint64_t)kind, strlen(path), count, offset };
  pthread_mutex_lock(&lock);
  syscall(SYS_write, record_fd, &header, sizeof header);
  syscall(SYS_write, record_fd, path, header.path_length);
  if (count) syscall(SYS_write, record_fd, data, count);
  pthread_mutex_unlock(&lock);
}

// Notes the path of a new descriptor if it is watched. Returns the descriptor.
static int did_open(int fd, const char *path, int flags) {
  if (fd >= 0 && fd < MAX_FD) {
    if (is_watched(path)) snprintf(paths[fd], MAX_PATH, "%s", path); else paths[fd][0] = 0;
    if (watched_path(fd) && (flags & O_TRUNC)) record_event('t', path, 0, NULL, 0);
  }
  return fd;
}

static int open_at(int dir, const char *path, int flags, mode_t mode) {
  int error = is_watched(path) ? (int)fault_for("open") : 0;
  if (error) { errno = error; return -1; }
  return did_open((int)syscall(SYS_openat, dir, path, flags, mode), path, flags);
}

// Declares `mode`, which callers pass only with the flags that create a file.
#define READ_MODE() \
  va_list list; va_start(list, flags); \
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
  va_end(list);

int open(const char *path, int flags, ...) { READ_MODE() return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { READ_MODE() return open_at(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { READ_MODE() return open_at(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { READ_MODE() return open_at(dir, path, flags, mode); }

int close(int fd) {
  if (fd >= 0 && fd < MAX_FD) paths[fd][0] = 0;
  return (int)syscall(SYS_close, fd);
}

ssize_t pwrite64(int fd, const void *data, size_t count, off_t offset) {
  const char *path = watched_path(fd);
  int error = path ? (int)fault_for("write") : 0;
  if (error) { errno = error; return -1; }
  ssize_t written = syscall(SYS_pwrite64, fd, data, count, offset);
  if (path && written > 0) record_event('w', path, (uint64_t)offset, data, (uint64_t)written);
  return written;
}
ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) { return pwrite64(fd, data, count, offset); }

ssize_t write(int fd, const void *data, size_t count) {
  const char *path = watched_path(fd);
  int error = path ? (int)fault_for("write") : 0;
  if (error) { errno = error; return -1; }
  off_t offset = path ? lseek(fd, 0, SEEK_CUR) : 0;
  ssize_t written = syscall(SYS_write, fd, data, count);
  if (path && written > 0) record_event('w', path, (uint64_t)offset, data, (uint64_t)written);
  return written;
}

int ftruncate64(int fd, off_t length) {
  const char *path = watched_path(fd);
  int error = path ? (int)fault_for("write") : 0;
  if (error) { errno = error; return -1; }
  int result = (int)syscall(SYS_ftruncate, fd, length);
  if (path && result == 0) record_event('t', path, (uint64_t)length, NULL, 0);
  return result;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int sync_with(long call, int fd) {
  const char *path = watched_path(fd);
  int error = path ? (int)fault_for("fsync") : 0;
  if (error) { errno = error; return -1; }
  int result = (int)syscall(call, fd);
  if (path && result == 0) record_event('s', path, 0, NULL, 0);
  return result;
}
int fsync(int fd) { return sync_with(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_with(SYS_fdatasync, fd); }

int statfs(const char *path, struct statfs *status) {
  int result = (int)syscall(SYS_statfs, path, status);
  long type = result == 0 && is_watched(path) ? fault_for("statfs") : 0;
  if (type) status->f_type = type;
  return result;
}

int unlink(const char *path) {
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (result == 0 && is_watched(path)) record_event('u', path, 0, NULL, 0);
  return result;
}
