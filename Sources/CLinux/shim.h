#pragma once
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// accept4 is declared only with _GNU_SOURCE, under which its address argument becomes a union that Swift cannot import.
int bindery_accept4(int, struct sockaddr *, socklen_t *, int) __asm__("accept4");

// The same holds for sched_getaffinity, whose cpu_set_t Swift could not count.
int bindery_sched_getaffinity(pid_t, size_t, void *) __asm__("sched_getaffinity");

// Functions with a variable number of arguments cannot be imported.
static inline int bindery_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
