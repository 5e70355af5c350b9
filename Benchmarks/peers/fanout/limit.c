// The limit of a fan-out: one epoll loop that makes a frame once and sends it to each subscriber, with one send. Who
// does not take it gets the newest one when its socket has room again. It expects each request whole in one read.
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

// An open connection; where it reads a stream, whether it has yet to get the newest frame, and what of an older one is
// only partly sent.
static struct {
  char is_subscriber, is_behind;
  unsigned short rest_length;
  char *rest;
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

static void hang_up(int descriptor) {
  free(connections[descriptor].rest);
  memset(&connections[descriptor], 0, sizeof connections[descriptor]);
  close(descriptor);
}

static void listen_for(int descriptor, unsigned interest) {
  struct epoll_event event = {.events = interest, .data.fd = descriptor};
  epoll_ctl(poll_descriptor, EPOLL_CTL_MOD, descriptor, &event);
}

// Sends the newest frame.
static void tell(int descriptor) {
  ssize_t count = send(descriptor, frame, frame_length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count == (ssize_t)frame_length) return;
  if (count < 0 && errno != EAGAIN) return hang_up(descriptor);
  if (count < 0) {
    connections[descriptor].is_behind = 1;
  } else {
    connections[descriptor].rest_length = (unsigned short)(frame_length - (size_t)count);
    connections[descriptor].rest = strndup(frame + count, frame_length - (size_t)count);
  }
  listen_for(descriptor, EPOLLIN | EPOLLOUT);
}

// The socket has room again: first what is left of an older frame, then the newest.
static void catch_up(int descriptor) {
  size_t length = connections[descriptor].rest_length;
  if (length) {
    if (send(descriptor, connections[descriptor].rest, length, MSG_NOSIGNAL) != (ssize_t)length)
      return hang_up(descriptor);
    free(connections[descriptor].rest);
    connections[descriptor].rest = NULL;
    connections[descriptor].rest_length = 0;
  }
  listen_for(descriptor, EPOLLIN);
  if (!connections[descriptor].is_behind) return;
  connections[descriptor].is_behind = 0;
  tell(descriptor);
}

static void answer(int descriptor, const char *format, unsigned long long value) {
  char body[512], all[1024];
  int size = snprintf(body, sizeof body, format, value);
  int length = snprintf(
      all, sizeof all,
      "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\n"
      "ETag: \"0123456789abcdef012345\"\r\nContent-Length: %d\r\n\r\n%s",
      size, body);
  if (send(descriptor, all, (size_t)length, MSG_NOSIGNAL) != length) hang_up(descriptor);
}

// Answers a request; whether it changed the value.
static int serve(int descriptor) {
  static char bytes[buffer_size];
  ssize_t count = recv(descriptor, bytes, sizeof bytes - 1, 0);
  if (count < 0 && errno == EAGAIN) return 0;
  if (count <= 0) return hang_up(descriptor), 0;
  bytes[count] = 0;
  const char *body = strstr(bytes, "\r\n\r\n");
  if (!body) return hang_up(descriptor), 0;
  if (bytes[0] == 'P') {
    unsigned long long value = strtoull(body + 4, NULL, 10);
    int is_change = value != quantity;
    quantity = value;
    answer(descriptor, "%llu", value);
    return is_change;
  }
  if (!strstr(bytes, "text/event-stream")) return answer(descriptor, dish, quantity), 0;
  if (send(descriptor, stream_head, sizeof stream_head - 1, MSG_NOSIGNAL | MSG_MORE) < 0) return hang_up(descriptor), 0;
  connections[descriptor].is_subscriber = 1;
  tell(descriptor);
  return 0;
}

static void greet(int listener) {
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
        greet(listener);
      else if (events[i].events & EPOLLOUT)
        catch_up(descriptor);
      else
        is_changed |= serve(descriptor);
    }
    if (!is_changed) continue;
    make_frame();
    for (int descriptor = 0; descriptor <= highest; descriptor++) {
      if (!connections[descriptor].is_subscriber) continue;
      if (connections[descriptor].is_behind || connections[descriptor].rest)
        connections[descriptor].is_behind = 1;
      else
        tell(descriptor);
    }
  }
}
