// The load of the fan-out benchmark: subscribers that read event streams, and writers that change what they watch.
//
//   client --port PORT --targets FILE --write "PATCH /path" --body '{"n":#}' --marker '"n":' [options]
//
// Subscriber i requests line i of the targets file, modulo its length. In a request body, `#` is replaced with the
// number of the change; in a stream, the number after the marker identifies the change. When all subscribers have their
// first event, the client prints "ready" and waits for a line on standard input. Then it runs the rounds and the storm,
// prints one line of JSON, and closes the connections at the end of standard input. During a measurement it polls
// instead of sleeping, so that the server does not pay for waking it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { max_opening = 128, max_writers = 64, max_ready = 64, max_targets = 20000, in_size = 65536, timeout_s = 30 };

static struct {
  int port, subscribers, listeners, rounds, writers, limit_s;
  double storm_s;
  bool stalled;
  const char *targets, *write, *body, *marker;
} option = {.listeners = -1, .writers = 1, .limit_s = 120};

struct subscriber {
  int descriptor;
  bool has_head, has_value;
  size_t matched;  // bytes of the marker that have been received; if all, the parser is within the number
  uint64_t number, value;
};
static struct subscriber *subscribers;

struct writer {
  int descriptor;
  bool is_waiting;
  double sent_ms;
  size_t length;
  char bytes[8192];
};
static struct writer writers[max_writers];

// Samples in milliseconds.
struct samples {
  double *values;
  size_t count, capacity;
};

static int poll_descriptor;
static int ready, notified;
// `sequence` is the number of the last change and `target` the expected number. `events` counts all events, `repeats`
// those with the value of the previous event, and `strays` those with an unexpected value.
static uint64_t sequence, target, events, repeats, strays;
static double changed_ms, *latencies_ms;
static struct samples responses;

static void fail(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fputs("client: ", stderr);
  vfprintf(stderr, format, rest);
  fputc('\n', stderr);
  exit(1);
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void add_sample(struct samples *samples, double value) {
  if (samples->count == samples->capacity) {
    samples->capacity = samples->capacity ? samples->capacity * 2 : 1024;
    samples->values = realloc(samples->values, samples->capacity * sizeof *samples->values);
    if (!samples->values) fail("out of memory");
  }
  samples->values[samples->count++] = value;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void print_samples(const char *name, struct samples *samples) {
  if (samples->count == 0) return;
  double *values = samples->values;
  size_t count = samples->count;
  qsort(values, count, sizeof *values, ascending);
  printf(
      ",\"%s\":{\"min\":%.3f,\"median\":%.3f,\"p99\":%.3f,\"max\":%.3f}", name, values[0], values[count / 2],
      values[count - 1 - count / 100], values[count - 1]);
}

// Opens a connection. Uses the next source address when the ports of the current one are exhausted.
static int open_connection(int receive_buffer) {
  static uint32_t source = 1;
  struct sockaddr_in server = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)option.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (; source < 255; source++) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (descriptor < 0) fail("socket: %s", strerror(errno));
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (receive_buffer) setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    // Close with a reset: thousands of closed connections must not leave their ports in TIME_WAIT.
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = timeout_s}, sizeof(struct timeval));
    if (source > 1) {
      struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + source - 1)};
      setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
      if (bind(descriptor, (struct sockaddr *)&own, sizeof own)) fail("bind: %s", strerror(errno));
    }
    if (connect(descriptor, (struct sockaddr *)&server, sizeof server) == 0) return descriptor;
    if (errno != EADDRNOTAVAIL) fail("connect: %s", strerror(errno));
    close(descriptor);
  }
  fail("no source ports left on any loopback address");
  return -1;
}

static void send_all(int descriptor, const char *bytes, size_t length) {
  if (send(descriptor, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send: %s", strerror(errno));
}

static void subscribe(struct subscriber *it, const char *path) {
  static char request[16384];
  int length = snprintf(
      request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\n\r\n", path,
      option.port);
  if (length < 0 || length >= (int)sizeof request) fail("the path of a target is too long: %s", path);
  it->descriptor = open_connection(option.stalled ? 4096 : 0);
  send_all(it->descriptor, request, (size_t)length);
  if (option.stalled) {
    ready++;
    return;
  }
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = it};
  if (epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, it->descriptor, &event)) fail("epoll_ctl: %s", strerror(errno));
}

// A subscriber has received a complete number.
static void receive_number(struct subscriber *it, uint64_t number) {
  if (!it->has_value) {
    it->has_value = true;
    ready++;
  } else {
    events++;
    if (number == it->value)
      repeats++;
    else if (number != target)
      strays++;
    else
      latencies_ms[notified++] = now_ms() - changed_ms;
  }
  it->value = number;
}

static void receive(struct subscriber *it) {
  static char bytes[in_size];
  ssize_t count = recv(it->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) fail("a stream ended: %s", count ? strerror(errno) : "closed by the server");
  if (!it->has_head) {
    if (count < 12 || memcmp(bytes, "HTTP/1.1 200", 12)) fail("expected status 200, got: %.*s", (int)count, bytes);
    it->has_head = true;
  }
  const char *marker = option.marker;
  const size_t marker_length = strlen(marker);
  for (ssize_t i = 0; i < count; i++) {
    if (it->matched == 0) {
      const char *start = memchr(bytes + i, marker[0], (size_t)(count - i));
      if (!start) break;
      i = start - bytes;
      it->matched = 1;
      it->number = 0;
    } else if (it->matched < marker_length) {
      // Within a marker, no prefix of it longer than one byte occurs again, so one byte of backtracking is enough.
      it->matched = bytes[i] == marker[it->matched] ? it->matched + 1 : bytes[i] == marker[0];
    } else if (bytes[i] >= '0' && bytes[i] <= '9') {
      it->number = it->number * 10 + (uint64_t)(bytes[i] - '0');
    } else {
      it->matched = 0;
      receive_number(it, it->number);
    }
  }
}

static void send_change(struct writer *it, uint64_t number) {
  static char request[4096];
  char body[1024];
  const char *placeholder = strchr(option.body, '#');
  int size = snprintf(body, sizeof body, "%.*s%llu%s", (int)(placeholder - option.body), option.body,
                      (unsigned long long)number, placeholder + 1);
  int length = snprintf(
      request, sizeof request,
      "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
      option.write, option.port, size, body);
  if (size >= (int)sizeof body || length >= (int)sizeof request) fail("the write request is too long");
  it->length = 0;
  it->is_waiting = true;
  it->sent_ms = now_ms();
  send_all(it->descriptor, request, (size_t)length);
}

// Returns whether the response is complete.
static bool is_complete(struct writer *it) {
  it->bytes[it->length] = 0;
  const char *end = strstr(it->bytes, "\r\n\r\n");
  if (!end) return false;
  if (memcmp(it->bytes, "HTTP/1.1 2", 10)) fail("expected status 2xx for a write, got: %s", it->bytes);
  const char *length = strcasestr(it->bytes, "\r\nContent-Length:");
  if (length && length < end)
    return it->length >= (size_t)(end + 4 - it->bytes) + strtoul(length + sizeof "\r\nContent-Length:" - 1, NULL, 10);
  const char *chunked = strcasestr(it->bytes, "\r\nTransfer-Encoding: chunked");
  return !(chunked && chunked < end) || !memcmp(it->bytes + it->length - 5, "0\r\n\r\n", 5);
}

static void receive_response(struct writer *it) {
  ssize_t count =
      recv(it->descriptor, it->bytes + it->length, sizeof it->bytes - it->length - 1, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) fail("the server closed the connection of a writer");
  it->length += (size_t)count;
  if (!is_complete(it)) return;
  it->is_waiting = false;
  add_sample(&responses, now_ms() - it->sent_ms);
}

// Polls once. Writers come first, so that the latency of a response does not include ten thousand events.
static int step(int timeout_ms) {
  int waiting = 0;
  for (int i = 0; i < option.writers; i++) {
    if (writers[i].is_waiting) receive_response(&writers[i]);
    waiting += writers[i].is_waiting;
  }
  struct epoll_event ready_events[max_ready];
  int count = epoll_wait(poll_descriptor, ready_events, max_ready, timeout_ms);
  for (int i = 0; i < count; i++) receive(ready_events[i].data.ptr);
  return waiting;
}

static void subscribe_all(void) {
  static char *targets[max_targets];
  int count = 0;
  FILE *file = fopen(option.targets, "r");
  if (!file) fail("%s: %s", option.targets, strerror(errno));
  for (size_t size = 0; count < max_targets && getline(&targets[count], &size, file) > 0; size = 0, count++)
    targets[count][strcspn(targets[count], "\n")] = 0;
  fclose(file);
  if (count == 0) fail("%s: the file contains no targets", option.targets);
  double deadline = now_ms() + timeout_s * 1e3;
  for (int opened = 0; ready < option.subscribers;) {
    for (; opened < option.subscribers && opened - ready < max_opening; opened++)
      subscribe(&subscribers[opened], targets[opened % count]);
    if (ready < option.subscribers) step(100);
    if (now_ms() > deadline) fail("timeout: %d of %d streams started", ready, option.subscribers);
  }
  for (int i = 0; i < option.writers; i++) writers[i].descriptor = open_connection(0);
}

// Sends one change and waits until the writer has its response and every listener has the event.
static void round_trip(void) {
  notified = 0;
  target = ++sequence;
  changed_ms = now_ms();
  double deadline = changed_ms + timeout_s * 1e3;
  send_change(&writers[0], target);
  while (step(0) || notified < option.listeners)
    if (now_ms() > deadline)
      fail("timeout: change %llu reached %d of %d subscribers", (unsigned long long)target, notified, option.listeners);
}

static void run_rounds(void) {
  if (option.rounds == 0) return;
  struct samples first = {0}, median = {0}, last = {0};
  responses.count = 0;
  for (int i = 0; i < option.rounds; i++) {
    round_trip();
    if (option.listeners == 0) continue;
    add_sample(&first, latencies_ms[0]);
    add_sample(&median, latencies_ms[option.listeners / 2]);
    add_sample(&last, latencies_ms[option.listeners - 1]);
  }
  print_samples("response", &responses);
  print_samples("first", &first);
  print_samples("median", &median);
  print_samples("last", &last);
  printf(",\"strays\":%llu", (unsigned long long)strays);
}

static void run_storm(void) {
  if (option.storm_s <= 0) return;
  responses.count = 0;
  target = 0;
  double started_at = now_ms(), end = started_at + option.storm_s * 1e3;
  uint64_t before = events;
  while (now_ms() < end) {
    for (int i = 0; i < option.writers; i++)
      if (!writers[i].is_waiting) send_change(&writers[i], ++sequence);
    step(0);
  }
  while (step(0))
    if (now_ms() > end + timeout_s * 1e3) fail("timeout: a write received no response");
  double duration_s = (now_ms() - started_at) / 1e3;
  size_t writes = responses.count;
  print_samples("storm_response", &responses);
  uint64_t storm_events = events - before;
  // No other write is in flight now, so the value of this one is the last.
  round_trip();
  printf(
      ",\"writes\":%zu,\"seconds\":%.3f,\"storm_events\":%llu,\"settled\":%.3f", writes, duration_s,
      (unsigned long long)storm_events, option.listeners ? latencies_ms[option.listeners - 1] : now_ms() - changed_ms);
}

static void read_options(int count, char **arguments) {
  static const struct option known[] = {
      {"port", 1, NULL, 'p'},    {"targets", 1, NULL, 't'},   {"write", 1, NULL, 'w'},
      {"body", 1, NULL, 'b'},    {"marker", 1, NULL, 'm'},    {"subscribers", 1, NULL, 'n'},
      {"rounds", 1, NULL, 'r'},  {"listeners", 1, NULL, 'e'}, {"writers", 1, NULL, 'k'},
      {"storm", 1, NULL, 's'},   {"stalled", 0, NULL, 'x'},   {"limit", 1, NULL, 'l'},
      {0}};
  for (int flag; (flag = getopt_long(count, arguments, "", known, NULL)) != -1;) {
    switch (flag) {
      case 'p': option.port = atoi(optarg); break;
      case 't': option.targets = optarg; break;
      case 'w': option.write = optarg; break;
      case 'b': option.body = optarg; break;
      case 'm': option.marker = optarg; break;
      case 'n': option.subscribers = atoi(optarg); break;
      case 'r': option.rounds = atoi(optarg); break;
      case 'e': option.listeners = atoi(optarg); break;
      case 'k': option.writers = atoi(optarg); break;
      case 's': option.storm_s = atof(optarg); break;
      case 'x': option.stalled = true; break;
      case 'l': option.limit_s = atoi(optarg); break;
      default: exit(2);
    }
  }
  if (!option.port || !option.targets || !option.write || !option.body || !strchr(option.body, '#') ||
      !option.marker || !*option.marker || option.writers < 1 || option.writers > max_writers)
    fail("required: --port, --targets, --write, --body with a #, --marker; --writers from 1 to %d", max_writers);
  if (option.stalled) option.listeners = 0;
  if (option.listeners < 0 || option.listeners > option.subscribers) option.listeners = option.subscribers;
}

int main(int count, char **arguments) {
  read_options(count, arguments);
  signal(SIGPIPE, SIG_IGN);
  alarm((unsigned)option.limit_s);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  poll_descriptor = epoll_create1(EPOLL_CLOEXEC);
  subscribers = calloc((size_t)option.subscribers + 1, sizeof *subscribers);
  latencies_ms = calloc((size_t)option.subscribers + 1, sizeof *latencies_ms);
  if (poll_descriptor < 0 || !subscribers || !latencies_ms) fail("%s", strerror(errno));

  // Milliseconds since 1970: greater than the numbers of any previous run, and always of the same length.
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  sequence = (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;

  double started_at = now_ms();
  subscribe_all();
  double opened_ms = now_ms() - started_at;
  puts("ready");
  fflush(stdout);
  char line[8];
  if (!fgets(line, sizeof line, stdin)) return 0;

  printf("{\"opened\":%.3f", opened_ms);
  run_rounds();
  run_storm();
  printf(
      ",\"events\":%llu,\"repeats\":%llu}\n", (unsigned long long)events, (unsigned long long)repeats);
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) continue;
}
