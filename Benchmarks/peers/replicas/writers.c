// Writes numbers over HTTP and measures how long each write takes. Each connection sends its next write when it has the
// response to the last one.
//
//   writers SECONDS CONNECTIONS PATH PORT...
//
// Opens CONNECTIONS connections to each port. Prints one line of JSON for each port: the writes, the least number of
// writes of a connection, and the latency in milliseconds. Each response must have status 200 and the written number.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { max_servers = 8, max_connections = 1024, max_samples = 1 << 22, in_size = 4096 };

struct connection {
  int descriptor, server;
  long writes, value;
  double sent_ms;
  size_t length;
  char bytes[in_size];
};

static struct connection connections[max_connections];
static float *latencies_ms[max_servers];
static size_t latency_count[max_servers];
static int ports[max_servers];
static const char *path;
static long number;

static void fail(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  vfprintf(stderr, format, rest);
  fputc('\n', stderr);
  exit(1);
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void send_write(struct connection *connection) {
  char body[32], request[512];
  // Consecutive writes have different values, so that each one is a change.
  connection->value = ++number % 1000000 + 1;
  int body_length = snprintf(body, sizeof body, "%ld", connection->value);
  int length = snprintf(
      request, sizeof request,
      "PATCH %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
      path, ports[connection->server], body_length, body);
  connection->sent_ms = now_ms();
  if (write(connection->descriptor, request, length) != length) fail("cannot write: %s", strerror(errno));
}

static void receive(struct connection *connection) {
  ssize_t count =
      read(connection->descriptor, connection->bytes + connection->length, in_size - 1 - connection->length);
  if (count <= 0) fail("port %d: the connection was closed", ports[connection->server]);
  connection->length += count;
  connection->bytes[connection->length] = 0;
  // The body is a number and a newline.
  const char *body = strstr(connection->bytes, "\r\n\r\n");
  if (!body || !strchr(body + 4, '\n')) return;
  if (strncmp(connection->bytes, "HTTP/1.1 200", 12) || atol(body + 4) != connection->value) {
    fail("port %d: expected 200 and %ld, got %s", ports[connection->server], connection->value, connection->bytes);
  }
  connection->length = 0;
  connection->writes += 1;
  size_t *samples = &latency_count[connection->server];
  if (*samples < max_samples) latencies_ms[connection->server][(*samples)++] = now_ms() - connection->sent_ms;
  send_write(connection);
}

static int compare(const void *left, const void *right) {
  float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  if (count < 5) fail("usage: writers SECONDS CONNECTIONS PATH PORT...");
  double seconds = atof(arguments[1]);
  int per_server = atoi(arguments[2]), servers = count - 4, all = per_server * servers;
  path = arguments[3];
  if (servers > max_servers || all > max_connections) fail("too many connections");
  int poll = epoll_create1(0);
  for (int index = 0; index < all; index += 1) {
    struct connection *connection = &connections[index];
    connection->server = index % servers;
    ports[connection->server] = atoi(arguments[4 + connection->server]);
    if (!latencies_ms[connection->server]) latencies_ms[connection->server] = malloc(max_samples * sizeof(float));
    connection->descriptor = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(ports[connection->server])};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address)) {
      fail("cannot connect to port %d: %s", ports[connection->server], strerror(errno));
    }
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    epoll_ctl(poll, EPOLL_CTL_ADD, connection->descriptor, &event);
  }
  double start = now_ms();
  for (int index = 0; index < all; index += 1) send_write(&connections[index]);
  while (now_ms() - start < seconds * 1e3) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, 1000);
    for (int index = 0; index < ready; index += 1) receive(events[index].data.ptr);
  }
  double end = now_ms(), elapsed = (end - start) / 1e3;
  for (int server = 0; server < servers; server += 1) {
    long writes = 0, least = 1L << 62;
    double longest = 0;
    for (int index = server; index < all; index += servers) {
      writes += connections[index].writes;
      if (connections[index].writes < least) least = connections[index].writes;
      // A write without a response counts too.
      if (end - connections[index].sent_ms > longest) longest = end - connections[index].sent_ms;
    }
    size_t samples = latency_count[server];
    float *sorted = latencies_ms[server];
    qsort(sorted, samples, sizeof *sorted, compare);
    if (!samples) fail("port %d: no write was answered", ports[server]);
    if (sorted[samples - 1] > longest) longest = sorted[samples - 1];
    printf("{\"rate\": %.1f, \"writes\": %ld, \"least\": %ld, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f}\n",
           writes / elapsed, writes, least, sorted[samples / 2], sorted[samples * 99 / 100], longest);
  }
}
