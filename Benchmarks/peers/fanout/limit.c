// The C limit of the fan-out: one epoll loop that formats a frame once and sends it to each subscriber with one system
// call. A subscriber whose send buffer is full gets the newest frame when there is space again. Each request must
// arrive in one read.
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

enum { max_descriptors = 20000, buffer_size = 16384 };

static const char dish[] =
    "{\"id\":\"b10de400-0000-8000-8000-000000000001\",\"name\":\"\xF0\x9F\x8D\x9D Spaghetti Carbonara\","
    "\"isFavorite\":false,\"status\":{\"inStock\":{\"quantity\":%llu}}}";
static const char stream_head[] =
    "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: text/event-stream\r\n"
    "Cache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n";

// An open connection. For a subscriber: whether it has yet to receive the newest frame (`is_behind`), and the unsent
// part of an older one (`pending`).
static struct {
  char is_subscriber, is_behind;
  unsigned short pending_length;
  char *pending;
} connections[max_descriptors];

static int poll_descriptor, highest;
static unsigned long long quantity = 1;
static char frame[512];
static size_t frame_length;

static void make_frame(void) {
  char event[448];
  int length = snprintf(event, sizeof event, "id: 0123456789abcdef012345\ndata: ");
  length += snprintf(event + length, sizeof event - (size_t)length, dish, quantity);
  length += snprintf(event + length, sizeof event - (size_t)length, "\n\n");
  frame_length = (size_t)snprintf(frame, sizeof frame, "%x\r\n%s\r\n", length, event);
}

static void close_connection(int descriptor) {
  free(connections[descriptor].pending);
  memset(&connections[descriptor], 0, sizeof connections[descriptor]);
  close(descriptor);
}

static void set_interest(int descriptor, unsigned interest) {
  struct epoll_event event = {.events = interest, .data.fd = descriptor};
  epoll_ctl(poll_descriptor, EPOLL_CTL_MOD, descriptor, &event);
}

// Sends the newest frame.
static void send_frame(int descriptor) {
  ssize_t count = send(descriptor, frame, frame_length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count == (ssize_t)frame_length) return;
  if (count < 0 && errno != EAGAIN) return close_connection(descriptor);
  if (count < 0) {
    connections[descriptor].is_behind = 1;
  } else {
    connections[descriptor].pending_length = (unsigned short)(frame_length - (size_t)count);
    connections[descriptor].pending = strndup(frame + count, frame_length - (size_t)count);
  }
  set_interest(descriptor, EPOLLIN | EPOLLOUT);
}

// The socket is writable again: sends the rest of the older frame, then the newest one.
static void flush_pending(int descriptor) {
  size_t length = connections[descriptor].pending_length;
  if (length) {
    if (send(descriptor, connections[descriptor].pending, length, MSG_NOSIGNAL) != (ssize_t)length)
      return close_connection(descriptor);
    free(connections[descriptor].pending);
    connections[descriptor].pending = NULL;
    connections[descriptor].pending_length = 0;
  }
  set_interest(descriptor, EPOLLIN);
  if (!connections[descriptor].is_behind) return;
  connections[descriptor].is_behind = 0;
  send_frame(descriptor);
}

static void send_response(int descriptor, const char *format, unsigned long long value) {
  char body[512], response[1024];
  int size = snprintf(body, sizeof body, format, value);
  int length = snprintf(
      response, sizeof response,
      "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\n"
      "ETag: \"0123456789abcdef012345\"\r\nContent-Length: %d\r\n\r\n%s",
      size, body);
  if (send(descriptor, response, (size_t)length, MSG_NOSIGNAL) != length) close_connection(descriptor);
}

// Handles a request; returns whether it changed the value.
static int serve(int descriptor) {
  static char bytes[buffer_size];
  ssize_t count = recv(descriptor, bytes, sizeof bytes - 1, 0);
  if (count < 0 && errno == EAGAIN) return 0;
  if (count <= 0) return close_connection(descriptor), 0;
  bytes[count] = 0;
  const char *body = strstr(bytes, "\r\n\r\n");
  if (!body) return close_connection(descriptor), 0;
  if (bytes[0] == 'P') {
    unsigned long long value = strtoull(body + 4, NULL, 10);
    int is_change = value != quantity;
    quantity = value;
    send_response(descriptor, "%llu", value);
    return is_change;
  }
  if (!strstr(bytes, "text/event-stream")) return send_response(descriptor, dish, quantity), 0;
  if (send(descriptor, stream_head, sizeof stream_head - 1, MSG_NOSIGNAL | MSG_MORE) < 0)
    return close_connection(descriptor), 0;
  connections[descriptor].is_subscriber = 1;
  send_frame(descriptor);
  return 0;
}

static void accept_connections(int listener) {
  int descriptor, on = 1;
  while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (descriptor >= max_descriptors || epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, descriptor, &event)) {
      close(descriptor);
      continue;
    }
    if (descriptor > highest) highest = descriptor;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "limit PORT\n"), 2;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  poll_descriptor = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  address.sin_port = htons((uint16_t)atoi(arguments[1]));
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) return perror("limit"), 1;
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
  epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, listener, &event);
  make_frame();
  for (;;) {
    int ready = epoll_wait(poll_descriptor, events, 256, -1), is_changed = 0;
    for (int i = 0; i < ready; i++) {
      int descriptor = events[i].data.fd;
      if (descriptor == listener)
        accept_connections(listener);
      else if (events[i].events & EPOLLOUT)
        flush_pending(descriptor);
      else
        is_changed |= serve(descriptor);
    }
    if (!is_changed) continue;
    make_frame();
    for (int descriptor = 0; descriptor <= highest; descriptor++) {
      if (!connections[descriptor].is_subscriber) continue;
      if (connections[descriptor].is_behind || connections[descriptor].pending)
        connections[descriptor].is_behind = 1;
      else
        send_frame(descriptor);
    }
  }
}
