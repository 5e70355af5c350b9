#pragma once
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// accept4 is declared only with _GNU_SOURCE, under which its address argument becomes a union that Swift cannot import.
int bindery_accept4(int, struct sockaddr *, socklen_t *, int) __asm__("accept4");

// sched_getaffinity needs _GNU_SOURCE too. A plain pointer also lets Swift count the bits without the CPU_* macros.
int bindery_sched_getaffinity(pid_t, size_t, void *) __asm__("sched_getaffinity");

// rename is declared in stdio.h, which declares much else.
int bindery_rename(const char *, const char *) __asm__("rename");

// Child processes of the tests: these are declared only with _GNU_SOURCE.
int bindery_spawn_close_from(posix_spawn_file_actions_t *, int) __asm__("posix_spawn_file_actions_addclosefrom_np");
int bindery_spawn_chdir(posix_spawn_file_actions_t *, const char *) __asm__("posix_spawn_file_actions_addchdir_np");
int bindery_pipe2(int *, int) __asm__("pipe2");
int bindery_memfd_create(const char *, unsigned) __asm__("memfd_create");

// renameat2 and statx are declared only with _GNU_SOURCE; musl and older kernels may lack them.
static inline int bindery_rename_exchange(const char *a, const char *b) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2 /* RENAME_EXCHANGE */);
}
static inline int bindery_rename_noreplace(const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */);
}
// Returns 1 if a file is the root of a mount, 0 if it is not or the kernel does not know.
static inline int bindery_is_mount(const char *path) {
  struct statx status;
  if (syscall(SYS_statx, AT_FDCWD, path, 0x100 /* AT_SYMLINK_NOFOLLOW */, 0, &status) != 0) return 0;
  return (status.stx_attributes_mask & status.stx_attributes & 0x2000 /* STATX_ATTR_MOUNT_ROOT */) != 0;
}

// Swift cannot import SIG_IGN, a cast of an integer to a function pointer.
static inline void bindery_ignore_signal(int number) { signal(number, SIG_IGN); }

// Swift cannot import variadic functions.
static inline int bindery_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int bindery_openat(int folder, const char *path, int flags) { return openat(folder, path, flags); }

// System calls of every request. glibc's wrappers are thread cancellation points, and the bookkeeping for that costs as
// much as copying the request. No thread of this program is ever cancelled, so the system calls are made directly.
static inline ssize_t bindery_recv(int socket, void *bytes, size_t count) {
  return syscall(SYS_recvfrom, socket, bytes, count, 0, (void *)0, (void *)0);
}
static inline ssize_t bindery_send(int socket, const void *bytes, size_t count) {
  return syscall(SYS_sendto, socket, bytes, count, MSG_NOSIGNAL, (void *)0, 0);
}
// The number of bytes in the send queue that the peer has not acknowledged (SIOCOUTQ).
static inline int bindery_send_queue(int socket) {
  int count;
  return ioctl(socket, TIOCOUTQ, &count) == 0 ? count : -1;
}
static inline int bindery_epoll_wait(int poll, struct epoll_event *events, int capacity, int milliseconds) {
  return (int)syscall(SYS_epoll_pwait, poll, events, capacity, milliseconds, (void *)0, (size_t)0);
}
