#pragma once
#include <libpq-fe.h>
#include <poll.h>

// Waits until a socket is readable or writable.
static inline int bindery_poll(int socket, int for_writing, int milliseconds) {
  struct pollfd entry = {socket, (short)(for_writing ? POLLIN | POLLOUT : POLLIN), 0};
  return poll(&entry, 1, milliseconds);
}
