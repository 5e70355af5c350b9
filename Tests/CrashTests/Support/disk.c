// A disk that can fail, and that remembers: preloaded (LD_PRELOAD), it stands between a program and the kernel.
//
// Of files whose path begins with DISK_FOLDER it writes down each write, truncation, removal and fsync to DISK_RECORD,
// from which the files can be built again as a disk would have them after a power cut at any moment. What DISK_ORDERS
// holds makes calls fail: one line each, `write 28` (with ENOSPC), `fsync 5` (with EIO), `open 30` (with EROFS).
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
#include <unistd.h>

enum { MAX_FD = 4096, MAX_PATH = 512 };
// Per descriptor: the path of a file that is watched, or an empty one.
static char paths[MAX_FD][MAX_PATH];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder, *orders;
static int record = -1;

__attribute__((constructor)) static void start(void) {
  folder = getenv("DISK_FOLDER");
  orders = getenv("DISK_ORDERS");
  const char *file = getenv("DISK_RECORD");
  if (file) record = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static int is_watched(const char *path) { return folder && path && strncmp(path, folder, strlen(folder)) == 0; }

static const char *watched(int fd) { return fd >= 0 && fd < MAX_FD && paths[fd][0] ? paths[fd] : NULL; }

// The error that a call is to fail with; 0 for none.
static int ordered(const char *call) {
  if (!orders) return 0;
  char text[512];
  int fd = (int)syscall(SYS_openat, AT_FDCWD, orders, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  ssize_t count = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  if (count <= 0) return 0;
  text[count] = 0;
  size_t length = strlen(call);
  for (char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
    if (strncmp(line, call, length) == 0 && line[length] == ' ') return atoi(line + length);
  return 0;
}

// One entry: what happened (w, t, s, u, d), the lengths of path and data, an offset, then path and data.
static void note(char what, const char *path, uint64_t offset, const void *data, uint64_t count) {
  if (record < 0) return;
  struct { uint64_t what, path, count, offset; } head = { (uint64_t)what, strlen(path), count, offset };
  pthread_mutex_lock(&lock);
  syscall(SYS_write, record, &head, sizeof head);
  syscall(SYS_write, record, path, head.path);
  if (count) syscall(SYS_write, record, data, count);
  pthread_mutex_unlock(&lock);
}

static int opened(int fd, const char *path, int flags) {
  if (fd >= 0 && fd < MAX_FD) {
    if (is_watched(path)) snprintf(paths[fd], MAX_PATH, "%s", path); else paths[fd][0] = 0;
    if (watched(fd) && (flags & O_TRUNC)) note('t', path, 0, NULL, 0);
  }
  return fd;
}

static int open_at(int dir, const char *path, int flags, mode_t mode) {
  int error = is_watched(path) ? ordered("open") : 0;
  if (error) { errno = error; return -1; }
  return opened((int)syscall(SYS_openat, dir, path, flags, mode), path, flags);
}

#define OPEN(name, ...) \
  va_list list; va_start(list, flags); mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; va_end(list);

int open(const char *path, int flags, ...) { OPEN() return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { OPEN() return open_at(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { OPEN() return open_at(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { OPEN() return open_at(dir, path, flags, mode); }

int close(int fd) {
  if (fd >= 0 && fd < MAX_FD) paths[fd][0] = 0;
  return (int)syscall(SYS_close, fd);
}

ssize_t pwrite64(int fd, const void *data, size_t count, off_t offset) {
  const char *path = watched(fd);
  int error = path ? ordered("write") : 0;
  if (error) { errno = error; return -1; }
  ssize_t written = syscall(SYS_pwrite64, fd, data, count, offset);
  if (path && written > 0) note('w', path, (uint64_t)offset, data, (uint64_t)written);
  return written;
}
ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) { return pwrite64(fd, data, count, offset); }

ssize_t write(int fd, const void *data, size_t count) {
  const char *path = watched(fd);
  int error = path ? ordered("write") : 0;
  if (error) { errno = error; return -1; }
  off_t offset = path ? lseek(fd, 0, SEEK_CUR) : 0;
  ssize_t written = syscall(SYS_write, fd, data, count);
  if (path && written > 0) note('w', path, (uint64_t)offset, data, (uint64_t)written);
  return written;
}

int ftruncate64(int fd, off_t length) {
  const char *path = watched(fd);
  int error = path ? ordered("write") : 0;
  if (error) { errno = error; return -1; }
  int result = (int)syscall(SYS_ftruncate, fd, length);
  if (path && result == 0) note('t', path, (uint64_t)length, NULL, 0);
  return result;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int sync_with(long call, int fd) {
  const char *path = watched(fd);
  int error = path ? ordered("fsync") : 0;
  if (error) { errno = error; return -1; }
  int result = (int)syscall(call, fd);
  if (path && result == 0) note('s', path, 0, NULL, 0);
  return result;
}
int fsync(int fd) { return sync_with(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_with(SYS_fdatasync, fd); }

int unlink(const char *path) {
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (result == 0 && is_watched(path)) note('u', path, 0, NULL, 0);
  return result;
}
