// The C limit: one epoll loop that only finds the end of each request and sends a fixed response. The additional CPU
// time of another server is the cost of its work.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { max_descriptors = 20000, buffer_size = 65536 };

static const char on_get[] =
    "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\n"
    "ETag: \"0123456789abcdef0123456\"\r\nState-Revision: 42\r\nVary: Accept\r\nContent-Length: 134\r\n\r\n"
    "{\"id\":\"b10de400-0000-8000-8000-000000000001\",\"name\":\"\xF0\x9F\x8D\x9D Spaghetti Carbonara\","
    "\"isFavorite\":false,\"status\":{\"inStock\":{\"quantity\":3}}}";
static const char on_patch[] =
    "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\n"
    "ETag: \"0123456789abcdef0123456\"\r\nState-Revision: 42\r\nState-Changed: ?1\r\nContent-Length: 1\r\n\r\n3";

// The received bytes of requests that have no response yet.
struct connection {
  size_t length;
  char bytes[buffer_size];
};
static struct connection *connections[max_descriptors];

// Returns the length of the first request including its body, or 0 if it is incomplete.
static size_t request_length(const char *bytes, size_t length) {
  static const char field[] = "\nContent-Length: ";
  const char *end = memmem(bytes, length, "\r\n\r\n", 4);
  if (!end) return 0;
  size_t total = (size_t)(end - bytes) + 4;
  const char *line = bytes[0] == 'P' ? memchr(bytes, '\n', (size_t)(end - bytes)) : NULL;
  for (; line; line = memchr(line + 1, '\n', (size_t)(end - line - 1))) {
    // The empty line at the end of the head follows, so strncmp cannot read past the buffer.
    if (line[1] != 'C' || strncmp(line, field, sizeof field - 1) != 0) continue;
    total += strtoul(line + sizeof field - 1, NULL, 10);
    break;
  }
  return total <= length ? total : 0;
}

static void close_connection(int descriptor) {
  free(connections[descriptor]);
  connections[descriptor] = NULL;
  close(descriptor);
}

// Handles all received requests with one read and one write.
static void serve(int descriptor) {
  static char out[buffer_size * 4];
  struct connection *connection = connections[descriptor];
  ssize_t count = read(descriptor, connection->bytes + connection->length, buffer_size - connection->length);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return close_connection(descriptor);
  connection->length += (size_t)count;
  size_t consumed = 0, filled = 0, request;
  while ((request = request_length(connection->bytes + consumed, connection->length - consumed))) {
    int is_patch = connection->bytes[consumed] == 'P';
    size_t size = is_patch ? sizeof on_patch - 1 : sizeof on_get - 1;
    if (filled + size > sizeof out) return close_connection(descriptor);
    memcpy(out + filled, is_patch ? on_patch : on_get, size);
    filled += size;
    consumed += request;
  }
  if (consumed == 0 && connection->length == buffer_size) return close_connection(descriptor);
  memmove(connection->bytes, connection->bytes + consumed, connection->length - consumed);
  connection->length -= consumed;
  if (filled && write(descriptor, out, filled) != (ssize_t)filled) close_connection(descriptor);
}

static void accept_connections(int listener, int poll) {
  int descriptor, on = 1;
  while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    if (descriptor >= max_descriptors) {
      close(descriptor);
      continue;
    }
    connections[descriptor] = calloc(1, sizeof(struct connection));
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (!connections[descriptor] || epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)) close_connection(descriptor);
  }
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "limit PORT\n"), 2;
  signal(SIGPIPE, SIG_IGN);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1, poll = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) return perror("limit"), 1;
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int ready = epoll_wait(poll, events, 256, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd == listener)
        accept_connections(listener, poll);
      else
        serve(events[i].data.fd);
    }
  }
}
