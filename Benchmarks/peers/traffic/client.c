// The load of the traffic benchmark: requests to dishes as they come from browsers behind a proxy.
//
//   client --port PORT (--requests N | --seconds S) [options]
//
// With --varied, the X-Request-Id, X-Forwarded-For and User-Agent of each request differ; with --trace also the
// traceparent; --token adds a bearer token. The requests go to one dish, or with --dishes to a random one of so many.
// A write changes the quantity of the dish, or with --members that many members of the dish. Every response is checked.
// The client first reads the ETags that --conditional needs and sends some requests, prints "ready", and waits for a
// line on standard input. Then it sends the load and prints one line of JSON. All runs send the same sequence.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { max_connections = 1024, max_depth = 64, request_size = 1024, in_size = 65536, warm_up = 1000, etag_size = 64 };
// The ids of the first four dishes, which are in the initial state, do not follow the pattern of the others.
enum { initial_dishes = 4, max_members = 5 };

static struct {
  int port, connections, depth, dishes, writes, members;
  long requests;
  double seconds;
  bool is_varied, is_traced, is_conditional;
  const char *token;
} option = {.connections = 1, .depth = 1, .dishes = 1};

static const char *const agents[] = {
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 "
    "Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 "
    "Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 "
    "Edg/141.0.0.0",
};
enum { agent_count = sizeof agents / sizeof *agents };

// What the response to a request must contain.
struct expectation {
  bool is_write;
  int dish, quantity;
  char trace[33];
};

struct connection {
  int descriptor, received;  // responses of the current batch
  double sent_ms;
  struct expectation expected[max_depth];
  size_t length;
  char bytes[in_size];
};

static struct connection *connections;
static int poll_descriptor;
static uint16_t *quantities;       // the last quantity written, by dish; 0 if there is none
static char (*etags)[etag_size];  // by dish; only with --conditional
static bool is_learning;           // whether the requests read the ETags of all dishes, in order
static uint64_t random_state = 0x9E3779B97F4A7C15;
static long sent, completed, writes, changes;
static float *latencies_ms;
static size_t latency_count, latency_capacity;

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

// xorshift64*: fast, and the same sequence in every run.
static uint64_t next_random(void) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return random_state * 0x2545F4914F6CDD1D;
}

static char *append(char *end, const char *text) { return stpcpy(end, text); }

static char *append_hex(char *end, uint64_t value, int digits) {
  for (int i = digits - 1; i >= 0; i--) *end++ = "0123456789abcdef"[value >> (4 * i) & 15];
  *end = 0;
  return end;
}

static char *append_number(char *end, unsigned value) {
  char digits[10];
  int count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while (value /= 10);
  while (count) *end++ = digits[--count];
  *end = 0;
  return end;
}

static char *append_id(char *end, int dish) {
  if (dish == 0) return append(end, "b10de400-0000-8000-8000-000000000001");
  return append(append_hex(end, (uint64_t)dish, 8), "-0000-8000-8000-000000000000");
}

static char *append_proxy_fields(char *end, struct expectation *expected) {
  uint64_t random = next_random();
  end = append(append(append(end, "User-Agent: "), agents[random % agent_count]), "\r\nAccept: */*\r\nX-Request-Id: ");
  end = append_hex(append_hex(end, next_random(), 16), random, 16);
  end = append(end, "\r\nX-Forwarded-For: 203");
  for (int shift = 32; shift < 56; shift += 8) end = append_number(append(end, "."), random >> shift & 255);
  end = append(end, "\r\n");
  if (!option.is_traced) return end;
  append_hex(append_hex(expected->trace, next_random() | 1, 16), next_random(), 16);
  end = append(append(end, "traceparent: 00-"), expected->trace);
  return append(append_hex(append(end, "-"), next_random() | 1, 16), "-01\r\n");
}

// Appends the JSON of a write: a quantity, or the first members of a dish. Not all models have a price and a note.
static char *append_body(char *end, const struct expectation *expected) {
  unsigned quantity = (unsigned)expected->quantity;
  if (option.members == 0) return append_number(end, quantity);
  end = append(append(end, "{\"isFavorite\":"), quantity % 2 ? "true" : "false");
  if (option.members > 1) end = append(append_number(append(end, ",\"name\":\"dish "), quantity), "\"");
  if (option.members > 2)
    end = append(append_number(append(end, ",\"status\":{\"inStock\":{\"quantity\":"), quantity), "}}");
  if (option.members > 3) end = append_number(append(end, ",\"price\":"), quantity);
  if (option.members > 4) end = append(append_number(append(end, ",\"note\":\"note "), quantity), "\"");
  return append(end, "}");
}

// The quantity of the next write of a dish, with three digits. Consecutive ones alternate between even and odd. The
// first one depends on the time, so that it is far from those of the previous run.
static int next_quantity(int dish) {
  int last = quantities[dish] ? quantities[dish] : 100 + (int)((long)now_ms() % 900);
  return quantities[dish] = (uint16_t)(last == 999 ? 100 : last + 1);
}

static char *append_request(char *end, struct expectation *expected) {
  uint64_t random = next_random();
  int dish = option.dishes > 1 ? initial_dishes + (int)(random % (unsigned)(option.dishes - initial_dishes)) : 0;
  if (is_learning) dish = option.dishes > 1 ? initial_dishes + (int)(sent % (option.dishes - initial_dishes)) : 0;
  *expected = (struct expectation){
      .is_write = !is_learning && (int)((random >> 32) % 100) < option.writes, .dish = dish};
  end = append_id(append(end, expected->is_write ? "PATCH /state/dishes/" : "GET /state/dishes/"), dish);
  if (expected->is_write && option.members == 0) end = append(end, "/status/inStock/quantity");
  end = append(append_number(append(end, " HTTP/1.1\r\nHost: 127.0.0.1:"), (unsigned)option.port), "\r\n");
  if (option.is_varied) end = append_proxy_fields(end, expected);
  if (option.token) end = append(append(append(end, "Authorization: Bearer "), option.token), "\r\n");
  if (option.is_conditional && !is_learning) end = append(append(append(end, "If-None-Match: "), etags[dish]), "\r\n");
  if (expected->is_write) {
    char body[256];
    expected->quantity = next_quantity(dish);
    unsigned length = (unsigned)(append_body(body, expected) - body);
    end = append_number(append(end, "Content-Type: application/json\r\nContent-Length: "), length);
    return append(append(append(end, "\r\n\r\n"), body), "");
  }
  return append(end, "\r\n");
}

// Sends a batch of requests in one write.
static void send_batch(struct connection *it) {
  static char out[max_depth * request_size];
  char *end = out;
  for (int i = 0; i < option.depth; i++, sent++) end = append_request(end, &it->expected[i]);
  it->received = 0;
  it->sent_ms = now_ms();
  if (send(it->descriptor, out, (size_t)(end - out), MSG_NOSIGNAL) != end - out) fail("send: %s", strerror(errno));
}

// Returns the value of a header field, which ends with a CR, or NULL. `name` starts with LF and ends with a colon.
static const char *field(const char *head, const char *end, const char *name) {
  size_t length = strlen(name);
  for (const char *line = head; (line = memchr(line, '\n', (size_t)(end - line))); line++)
    if (strncasecmp(line, name, length) == 0) return line + length + strspn(line + length, " ");
  return NULL;
}

static void learn_etag(int dish, const char *value) {
  size_t length = value ? strcspn(value, "\r") : 0;
  if (length == 0 || length >= etag_size) fail("the response for dish %d has no ETag", dish);
  memcpy(etags[dish], value, length);
  etags[dish][length] = 0;
}

static void check_body(const struct expectation *expected, const char *body, size_t length) {
  char text[256], *end = text;
  if (expected->is_write && option.members == 0) {
    end = append_body(text, expected);
    if (length && body[length - 1] == '\n') end = append(end, "\n");
    if (length != (size_t)(end - text) || memcmp(body, text, length))
      fail("expected %s, got %.*s", text, (int)length, body);
    return;
  }
  end = append(append_id(append(end, "{\"id\":\""), expected->dish), "\"");
  if (length < (size_t)(end - text) || memcmp(body, text, (size_t)(end - text)))
    fail("expected a body that starts with %s, got %.*s", text, (int)length, body);
  if (!expected->is_write) return;
  append(append(text, "\"isFavorite\":"), expected->quantity % 2 ? "true" : "false");
  if (!memmem(body, length, text, strlen(text))) fail("expected %s in the body, got %.*s", text, (int)length, body);
}

// Checks the first response. Returns its length, or 0 if it is incomplete.
static size_t take_response(const struct expectation *expected, const char *bytes, size_t length) {
  const char *end = memmem(bytes, length, "\r\n\r\n", 4);
  if (!end) return 0;
  bool is_match = option.is_conditional && !is_learning;
  const char *size = field(bytes, end, "\nContent-Length:");
  size_t body_length = is_match || !size ? 0 : strtoul(size, NULL, 10);
  const char *body = end + 4;
  if (body_length > length - (size_t)(body - bytes)) return 0;
  if (memcmp(bytes, is_match ? "HTTP/1.1 304" : "HTTP/1.1 200", 12))
    fail("expected status %s, got %.*s", is_match ? "304" : "200", (int)length, bytes);
  if (expected->trace[0]) {
    const char *trace = field(bytes, end, "\ntraceparent:");
    if (!trace || memcmp(trace + 3, expected->trace, 32))
      fail("expected trace %s, got %.*s", expected->trace, (int)length, bytes);
  }
  if (is_learning) learn_etag(expected->dish, field(bytes, end, "\nETag:"));
  if (expected->is_write) {
    const char *changed = field(bytes, end, "\nState-Changed:");
    writes++;
    changes += changed && changed[1] == '1';
  }
  if (!is_match) check_body(expected, body, body_length);
  return (size_t)(body - bytes) + body_length;
}

static void add_latency(double latency_ms) {
  if (latency_count == latency_capacity) {
    latency_capacity = latency_capacity ? latency_capacity * 2 : 1 << 16;
    latencies_ms = realloc(latencies_ms, latency_capacity * sizeof *latencies_ms);
    if (!latencies_ms) fail("out of memory");
  }
  latencies_ms[latency_count++] = (float)latency_ms;
}

// Returns whether all responses of the batch have been received.
static bool receive(struct connection *it) {
  ssize_t count = recv(it->descriptor, it->bytes + it->length, sizeof it->bytes - it->length, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return false;
  if (count <= 0) fail("the server closed a connection: %s", count ? strerror(errno) : "end of stream");
  it->length += (size_t)count;
  size_t consumed = 0, size;
  while (it->received < option.depth &&
         (size = take_response(&it->expected[it->received], it->bytes + consumed, it->length - consumed))) {
    consumed += size;
    completed++;
    it->received++;
  }
  memmove(it->bytes, it->bytes + consumed, it->length - consumed);
  it->length -= consumed;
  if (it->received < option.depth) return false;
  add_latency(now_ms() - it->sent_ms);
  return true;
}

// Sends at least `count` requests, or as many as possible within a time, and awaits all responses.
static void run(long count, double seconds) {
  sent = completed = writes = changes = 0;
  latency_count = 0;
  double end_ms = now_ms() + seconds * 1e3;
  for (int i = 0; i < option.connections && (seconds > 0 || sent < count); i++) send_batch(&connections[i]);
  while (completed < sent) {
    struct epoll_event ready[256];
    int ready_count = epoll_wait(poll_descriptor, ready, 256, 20000);
    if (ready_count == 0) fail("timeout: no response within 20 s");
    bool is_continuing = seconds > 0 ? now_ms() < end_ms : true;
    for (int i = 0; i < ready_count; i++) {
      struct connection *it = ready[i].data.ptr;
      if (receive(it) && is_continuing && (seconds > 0 || sent < count)) send_batch(it);
    }
  }
}

static void open_connection(struct connection *it) {
  struct sockaddr_in server = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)option.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int on = 1;
  it->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(it->descriptor, (struct sockaddr *)&server, sizeof server)) fail("connect: %s", strerror(errno));
  setsockopt(it->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = it};
  if (epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, it->descriptor, &event)) fail("epoll_ctl: %s", strerror(errno));
}

static int ascending(const void *left, const void *right) {
  float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

static void read_options(int count, char **arguments) {
  static const struct option known[] = {
      {"port", 1, NULL, 'p'},   {"connections", 1, NULL, 'c'}, {"depth", 1, NULL, 'd'},  {"dishes", 1, NULL, 'n'},
      {"writes", 1, NULL, 'w'}, {"members", 1, NULL, 'm'},     {"requests", 1, NULL, 'r'}, {"seconds", 1, NULL, 's'},
      {"varied", 0, NULL, 'v'}, {"trace", 0, NULL, 't'},       {"conditional", 0, NULL, 'i'}, {"token", 1, NULL, 'k'},
      {0}};
  for (int flag; (flag = getopt_long(count, arguments, "", known, NULL)) != -1;) {
    switch (flag) {
      case 'p': option.port = atoi(optarg); break;
      case 'c': option.connections = atoi(optarg); break;
      case 'd': option.depth = atoi(optarg); break;
      case 'n': option.dishes = atoi(optarg); break;
      case 'w': option.writes = atoi(optarg); break;
      case 'm': option.members = atoi(optarg); break;
      case 'r': option.requests = atol(optarg); break;
      case 's': option.seconds = atof(optarg); break;
      case 'v': option.is_varied = true; break;
      case 't': option.is_varied = option.is_traced = true; break;
      case 'i': option.is_conditional = true; break;
      case 'k': option.token = optarg; break;
      default: exit(2);
    }
  }
  if (!option.port || (option.requests > 0) == (option.seconds > 0)) fail("required: --port, --requests or --seconds");
  if (option.connections < 1 || option.connections > max_connections || option.depth < 1 || option.depth > max_depth)
    fail("--connections must be 1 to %d, --depth 1 to %d", max_connections, max_depth);
  if (option.dishes < 1 || (option.dishes > 1 && option.dishes <= initial_dishes) || option.members > max_members)
    fail("--dishes must be 1 or more than %d, --members at most %d", initial_dishes, max_members);
}

int main(int count, char **arguments) {
  read_options(count, arguments);
  poll_descriptor = epoll_create1(EPOLL_CLOEXEC);
  connections = calloc((size_t)option.connections, sizeof *connections);
  quantities = calloc((size_t)option.dishes, sizeof *quantities);
  etags = option.is_conditional ? calloc((size_t)option.dishes, sizeof *etags) : NULL;
  if (!connections || !quantities || (option.is_conditional && !etags)) fail("out of memory");
  for (int i = 0; i < option.connections; i++) open_connection(&connections[i]);

  if (option.is_conditional) {
    is_learning = true;
    run(option.dishes > 1 ? option.dishes - initial_dishes : 1, 0);
    is_learning = false;
  }
  run(warm_up, 0);
  puts("ready");
  fflush(stdout);
  char line[8];
  if (!fgets(line, sizeof line, stdin)) return 0;

  double started_ms = now_ms();
  run(option.requests, option.seconds);
  double seconds = (now_ms() - started_ms) / 1e3;
  qsort(latencies_ms, latency_count, sizeof *latencies_ms, ascending);
  printf(
      "{\"requests\":%ld,\"seconds\":%.4f,\"p50_ms\":%.4f,\"p99_ms\":%.4f,\"writes\":%ld,\"changes\":%ld}\n", completed,
      seconds, (double)latencies_ms[latency_count / 2], (double)latencies_ms[latency_count - 1 - latency_count / 100],
      writes, changes);
}
