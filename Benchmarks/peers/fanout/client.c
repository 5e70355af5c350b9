// The load of the fan-out benchmark: subscribers that read event streams, and writers that change what they watch.
//
//   client --port PORT --targets FILE --write "PATCH /path" --body '{"n":#}' --marker '"n":' [options]
//
// Subscriber i asks for line i of the targets, which go round. In a body `#` stands for the number of the change; in a
// stream a change is recognized by the number behind the marker. Once all have their first event it says "ready" and
// waits for a line on its input; then come the rounds, then the storm, then one line of JSON, and it waits for the end
// of its input before it hangs up. While a measurement is under way it never sleeps, so that waking it costs the server
// nothing.
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

enum { max_opening = 128, max_writers = 64, max_ready = 64, max_targets = 20000, in_size = 65536, patience_s = 30 };

static struct {
  int port, subscribers, listeners, rounds, writers, limit_s;
  double storm_s;
  bool stalled;
  const char *targets, *write, *body, *marker;
} option = {.listeners = -1, .writers = 1, .limit_s = 120};

struct subscriber {
  int descriptor;
  bool has_head, has_value;
  size_t matched;  // bytes of the marker that have come; all of them: in the number
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

// A column of figures in milliseconds.
struct figures {
  double *values;
  size_t count, capacity;
};

static int poll_descriptor;
static int ready, heard;
// The numbers of the last change and of the one that is waited for. Events, those with the value of the one before, and
// those with a value that is not the one waited for.
static uint64_t sequence, target, events, repeats, strays;
static double began_ms, *heard_ms;
static struct figures answers;

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

static void note(struct figures *figures, double value) {
  if (figures->count == figures->capacity) {
    figures->capacity = figures->capacity ? figures->capacity * 2 : 1024;
    figures->values = realloc(figures->values, figures->capacity * sizeof *figures->values);
    if (!figures->values) fail("out of memory");
  }
  figures->values[figures->count++] = value;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void print_figures(const char *name, struct figures *figures) {
  if (figures->count == 0) return;
  double *values = figures->values;
  size_t count = figures->count;
  qsort(values, count, sizeof *values, ascending);
  printf(
      ",\"%s\":{\"min\":%.3f,\"median\":%.3f,\"p99\":%.3f,\"max\":%.3f}", name, values[0], values[count / 2],
      values[count - 1 - count / 100], values[count - 1]);
}

// A connection that is open. Another source address only where the ports of the last one have run out.
static int connected(int receive_buffer) {
  static uint32_t source = 1;
  struct sockaddr_in server = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)option.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (; source < 255; source++) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (descriptor < 0) fail("socket: %s", strerror(errno));
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (receive_buffer) setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    // Ends with a reset: thousands of connections at a time must not leave their ports waiting.
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = patience_s}, sizeof(struct timeval));
    if (source > 1) {
      struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + source - 1)};
      setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
      if (bind(descriptor, (struct sockaddr *)&own, sizeof own)) fail("bind: %s", strerror(errno));
    }
    if (connect(descriptor, (struct sockaddr *)&server, sizeof server) == 0) return descriptor;
    if (errno != EADDRNOTAVAIL) fail("connect: %s", strerror(errno));
    close(descriptor);
  }
  fail("no ports left");
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
  if (length < 0 || length >= (int)sizeof request) fail("a target of more than %zu bytes", sizeof request);
  it->descriptor = connected(option.stalled ? 4096 : 0);
  send_all(it->descriptor, request, (size_t)length);
  if (option.stalled) {
    ready++;
    return;
  }
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = it};
  if (epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, it->descriptor, &event)) fail("epoll_ctl: %s", strerror(errno));
}

// A subscriber has a number whole.
static void hear(struct subscriber *it, uint64_t number) {
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
      heard_ms[heard++] = now_ms() - began_ms;
  }
  it->value = number;
}

static void receive(struct subscriber *it) {
  static char bytes[in_size];
  ssize_t count = recv(it->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) fail("a stream ended: %s", count ? strerror(errno) : "closed by the server");
  if (!it->has_head) {
    if (count < 12 || memcmp(bytes, "HTTP/1.1 200", 12)) fail("no stream, but: %.*s", (int)count, bytes);
    it->has_head = true;
  }
  const char *marker = option.marker;
  const size_t whole = strlen(marker);
  for (ssize_t i = 0; i < count; i++) {
    if (it->matched == 0) {
      const char *start = memchr(bytes + i, marker[0], (size_t)(count - i));
      if (!start) break;
      i = start - bytes;
      it->matched = 1;
      it->number = 0;
    } else if (it->matched < whole) {
      // No marker begins again within itself, except with its first byte.
      it->matched = bytes[i] == marker[it->matched] ? it->matched + 1 : bytes[i] == marker[0];
    } else if (bytes[i] >= '0' && bytes[i] <= '9') {
      it->number = it->number * 10 + (uint64_t)(bytes[i] - '0');
    } else {
      it->matched = 0;
      hear(it, it->number);
    }
  }
}

static void change(struct writer *it, uint64_t number) {
  static char request[4096];
  char body[1024];
  const char *hole = strchr(option.body, '#');
  int size = snprintf(body, sizeof body, "%.*s%llu%s", (int)(hole - option.body), option.body,
                      (unsigned long long)number, hole + 1);
  int length = snprintf(
      request, sizeof request,
      "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
      option.write, option.port, size, body);
  if (size >= (int)sizeof body || length >= (int)sizeof request) fail("too long a write");
  it->length = 0;
  it->is_waiting = true;
  it->sent_ms = now_ms();
  send_all(it->descriptor, request, (size_t)length);
}

// Whether the answer has come whole.
static bool is_whole(struct writer *it) {
  it->bytes[it->length] = 0;
  const char *end = strstr(it->bytes, "\r\n\r\n");
  if (!end) return false;
  if (memcmp(it->bytes, "HTTP/1.1 2", 10)) fail("a write was refused: %s", it->bytes);
  const char *length = strcasestr(it->bytes, "\r\nContent-Length:");
  if (length && length < end)
    return it->length >= (size_t)(end + 4 - it->bytes) + strtoul(length + sizeof "\r\nContent-Length:" - 1, NULL, 10);
  const char *chunked = strcasestr(it->bytes, "\r\nTransfer-Encoding: chunked");
  return !(chunked && chunked < end) || !memcmp(it->bytes + it->length - 5, "0\r\n\r\n", 5);
}

static void take_answer(struct writer *it) {
  ssize_t count =
      recv(it->descriptor, it->bytes + it->length, sizeof it->bytes - it->length - 1, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) fail("a writer was cut off");
  it->length += (size_t)count;
  if (!is_whole(it)) return;
  it->is_waiting = false;
  note(&answers, now_ms() - it->sent_ms);
}

// Writers first: an answer must not be timed behind ten thousand events.
static int step(int timeout_ms) {
  int waiting = 0;
  for (int i = 0; i < option.writers; i++) {
    if (writers[i].is_waiting) take_answer(&writers[i]);
    waiting += writers[i].is_waiting;
  }
  struct epoll_event found[max_ready];
  int count = epoll_wait(poll_descriptor, found, max_ready, timeout_ms);
  for (int i = 0; i < count; i++) receive(found[i].data.ptr);
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
  if (count == 0) fail("%s: no targets", option.targets);
  double deadline = now_ms() + patience_s * 1e3;
  for (int begun = 0; ready < option.subscribers;) {
    for (; begun < option.subscribers && begun - ready < max_opening; begun++)
      subscribe(&subscribers[begun], targets[begun % count]);
    if (ready < option.subscribers) step(100);
    if (now_ms() > deadline) fail("%d of %d have their first event", ready, option.subscribers);
  }
  for (int i = 0; i < option.writers; i++) writers[i].descriptor = connected(0);
}

// One change by the first writer, until it is answered and every listener has it.
static void round_trip(void) {
  heard = 0;
  target = ++sequence;
  began_ms = now_ms();
  double deadline = began_ms + patience_s * 1e3;
  change(&writers[0], target);
  while (step(0) || heard < option.listeners)
    if (now_ms() > deadline) fail("change %llu reached %d", (unsigned long long)target, heard);
}

static void run_rounds(void) {
  if (option.rounds == 0) return;
  struct figures first = {0}, median = {0}, last = {0};
  answers.count = 0;
  for (int i = 0; i < option.rounds; i++) {
    round_trip();
    if (option.listeners == 0) continue;
    note(&first, heard_ms[0]);
    note(&median, heard_ms[option.listeners / 2]);
    note(&last, heard_ms[option.listeners - 1]);
  }
  print_figures("answer", &answers);
  print_figures("first", &first);
  print_figures("median", &median);
  print_figures("last", &last);
  printf(",\"strays\":%llu", (unsigned long long)strays);
}

static void run_storm(void) {
  if (option.storm_s <= 0) return;
  answers.count = 0;
  target = 0;
  double began = now_ms(), end = began + option.storm_s * 1e3;
  uint64_t before = events;
  while (now_ms() < end) {
    for (int i = 0; i < option.writers; i++)
      if (!writers[i].is_waiting) change(&writers[i], ++sequence);
    step(0);
  }
  while (step(0))
    if (now_ms() > end + patience_s * 1e3) fail("a write was not answered");
  double took_s = (now_ms() - began) / 1e3;
  size_t writes = answers.count;
  print_figures("storm_answer", &answers);
  uint64_t heard_in_storm = events - before;
  // Only one write is under way now, so its value is the last.
  round_trip();
  printf(
      ",\"writes\":%zu,\"seconds\":%.3f,\"storm_events\":%llu,\"settled\":%.3f", writes, took_s,
      (unsigned long long)heard_in_storm, option.listeners ? heard_ms[option.listeners - 1] : now_ms() - began_ms);
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
    fail("--port, --targets, --write, --body with a #, --marker; --writers from 1 to %d", max_writers);
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
  heard_ms = calloc((size_t)option.subscribers + 1, sizeof *heard_ms);
  if (poll_descriptor < 0 || !subscribers || !heard_ms) fail("%s", strerror(errno));

  // Milliseconds since 1970: ahead of what any run before this one has left, and always of the same length.
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  sequence = (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;

  double began = now_ms();
  subscribe_all();
  double opened_ms = now_ms() - began;
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
