// The C limit: one epoll loop that does the least that the requests of the benchmarks need, and handles nothing else.
// The additional CPU time of another server is the cost of its work.
//
//   limit PORT [DISHES [SHA256]]
//
// The dishes are in a hash map, and a write gets a version and an ETag. With SHA256, requests need the bearer token with
// this digest.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xxhash.h>

enum { max_descriptors = 20000, buffer_size = 65536, id_size = 36, name_size = 32, max_response = 1024 };

#define COMMON "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\n"

struct dish {
  char id[id_size + 1], name[name_size];
  bool is_favorite;
  unsigned quantity;
  uint64_t etag;
};

// A hash map with open addressing. A slot is empty if its id is empty.
static struct dish *dishes;
static size_t mask;
static uint64_t revision, span;
static bool has_token;
static unsigned char token[crypto_hash_sha256_BYTES];

// The parts of a request that a response depends on. The pointers lead into the received bytes.
struct request {
  const char *token, *trace, *condition, *body;
  size_t length;
};

// The received bytes of requests that have no response yet.
struct connection {
  size_t length;
  char bytes[buffer_size];
};
static struct connection *connections[max_descriptors];

// Returns the dish with an id, or the empty slot for it.
static struct dish *find(const char *id) {
  size_t slot = XXH3_64bits(id, id_size) & mask;
  while (dishes[slot].id[0] && memcmp(dishes[slot].id, id, id_size)) slot = (slot + 1) & mask;
  return &dishes[slot];
}

static char *append(char *end, const char *text) { return stpcpy(end, text); }

static char *append_number(char *end, uint64_t value) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while (value /= 10);
  while (count) *end++ = digits[--count];
  *end = 0;
  return end;
}

static char *append_hex(char *end, uint64_t value) {
  for (int shift = 60; shift >= 0; shift -= 4) *end++ = "0123456789abcdef"[value >> shift & 15];
  *end = 0;
  return end;
}

static char *append_dish(char *end, const struct dish *it) {
  end = append(append(append(append(append(end, "{\"id\":\""), it->id), "\",\"name\":\""), it->name), "\",");
  end = append(append(end, "\"isFavorite\":"), it->is_favorite ? "true" : "false");
  return append(append_number(append(end, ",\"status\":{\"inStock\":{\"quantity\":"), it->quantity), "}}}");
}

static uint64_t hash_dish(const struct dish *it) {
  char json[256];
  return XXH3_64bits(json, (size_t)(append_dish(json, it) - json));
}

static void add_dish(const char *id, const char *name) {
  struct dish *it = find(id);
  *it = (struct dish){.quantity = 1};
  strcpy(it->id, id);
  strcpy(it->name, name);
  it->etag = hash_dish(it);
}

static unsigned parse_number(const char *text, const char *end) {
  unsigned number = 0;
  for (; text < end && *text >= '0' && *text <= '9'; text++) number = number * 10 + (unsigned)(*text - '0');
  return number;
}

static bool matches(const char *line, const char *name, size_t length) { return strncasecmp(line, name, length) == 0; }

// Finds the end of the first request, and its fields. Returns false if the request is incomplete.
static bool parse(const char *bytes, size_t length, struct request *it) {
  *it = (struct request){0};
  const char *end = memmem(bytes, length, "\r\n\r\n", 4);
  if (!end) return false;
  size_t body_length = 0;
  for (const char *line = bytes; (line = memchr(line, '\n', (size_t)(end - line)));) {
    line++;
    // The empty line at the end of the head follows, so strncasecmp cannot read past the buffer.
#define VALUE(name) (matches(line, name ": ", sizeof name + 1) ? line + sizeof name + 1 : NULL)
    const char *value;
    switch (*line | 0x20) {
      case 'a': if ((value = VALUE("Authorization"))) it->token = value; break;
      case 'c': if ((value = VALUE("Content-Length"))) body_length = parse_number(value, end); break;
      case 'i': if ((value = VALUE("If-None-Match"))) it->condition = value; break;
      case 't': if ((value = VALUE("traceparent"))) it->trace = value; break;
    }
#undef VALUE
  }
  it->body = end + 4;
  it->length = (size_t)(it->body - bytes) + body_length;
  return it->length <= length;
}

static bool is_authorized(const struct request *request) {
  static const char scheme[] = "Bearer ";
  if (!has_token) return true;
  if (!request->token || strncmp(request->token, scheme, sizeof scheme - 1)) return false;
  const char *value = request->token + sizeof scheme - 1;
  unsigned char digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(digest, (const unsigned char *)value, strcspn(value, "\r"));
  return sodium_memcmp(digest, token, sizeof digest) == 0;
}

// Continues the trace of the request with a new span.
static char *append_trace(char *end, const char *trace) {
  static const char *const names[] = {"traceparent: ", "traceresponse: "};
  if (strspn(trace, "0123456789abcdef-") != 55) return end;
  // SplitMix64: the multiplications distribute the bits of a counter.
  uint64_t id = span += 0x9E3779B97F4A7C15;
  id = (id ^ (id >> 30)) * 0xBF58476D1CE4E5B9;
  id = (id ^ (id >> 27)) * 0x94D049BB133111EB;
  for (int i = 0; i < 2; i++) {
    end = mempcpy(append(end, names[i]), trace, 36);
    end = append(mempcpy(append_hex(end, (id ^ (id >> 31)) | 1), trace + 52, 3), "\r\n");
  }
  return end;
}

// Sets the members that a body names. Returns whether the dish has changed.
static bool apply(struct dish *it, const char *body, const char *end) {
  static const char is_favorite[] = "\"isFavorite\":", name[] = "\"name\":\"", quantity[] = "\"quantity\":";
  struct dish before = *it;
  const char *value;
  if ((value = memmem(body, (size_t)(end - body), is_favorite, sizeof is_favorite - 1)))
    it->is_favorite = value[sizeof is_favorite - 1] == 't';
  if ((value = memmem(body, (size_t)(end - body), name, sizeof name - 1))) {
    value += sizeof name - 1;
    const char *quote = memchr(value, '"', (size_t)(end - value));
    if (!quote || quote - value >= name_size) return false;
    *(char *)mempcpy(it->name, value, (size_t)(quote - value)) = 0;
  }
  if ((value = memmem(body, (size_t)(end - body), quantity, sizeof quantity - 1)))
    it->quantity = parse_number(value + sizeof quantity - 1, end);
  return it->is_favorite != before.is_favorite || it->quantity != before.quantity || strcmp(it->name, before.name);
}

// Appends the response to a request.
static char *respond(char *out, const char *bytes, const struct request *request) {
  static const char path[] = " /state/dishes/";
  const char *id = bytes + (bytes[0] == 'P' ? 5 : 3), *end = bytes + request->length;
  if (!is_authorized(request)) return append(out, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
  struct dish *dish = strncmp(id, path, sizeof path - 1) ? NULL : find(id += sizeof path - 1);
  if (!dish || !dish->id[0]) return append(out, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  bool is_write = bytes[0] == 'P', is_quantity = is_write && id[id_size] == '/', has_changed = false;
  char json[256], *json_end = json, etag[32];
  uint64_t hash = dish->etag;
  if (is_quantity) {
    unsigned quantity = parse_number(request->body, end);
    has_changed = quantity != dish->quantity;
    dish->quantity = quantity;
    json_end = append_number(json, quantity);
  } else if (is_write) {
    has_changed = apply(dish, request->body, end);
  }
  if (has_changed) {
    revision++;
    hash = dish->etag = hash_dish(dish);
  }
  if (is_quantity) hash = XXH3_64bits(json, (size_t)(json_end - json));
  append(append_hex(append(etag, "\""), hash), "\"");
  bool is_match = !is_write && request->condition && strncmp(request->condition, etag, 18) == 0;
  out = append(out, is_match ? "HTTP/1.1 304 Not Modified\r\n" COMMON "ETag: " : "HTTP/1.1 200 OK\r\n" COMMON "ETag: ");
  out = append_number(append(append(out, etag), "\r\nState-Revision: "), revision);
  out = append(out, "\r\nVary: Accept\r\n");
  if (is_write) out = append(out, has_changed ? "State-Changed: ?1\r\n" : "State-Changed: ?0\r\n");
  if (request->trace) out = append_trace(out, request->trace);
  if (is_match) return append(out, "\r\n");
  if (!is_quantity) json_end = append_dish(json, dish);
  size_t length = (size_t)(json_end - json);
  return mempcpy(append(append_number(append(out, "Content-Length: "), length), "\r\n\r\n"), json, length);
}

static void close_connection(int descriptor) {
  free(connections[descriptor]);
  connections[descriptor] = NULL;
  close(descriptor);
}

// Handles all received requests with one read and one write.
static void serve(int descriptor) {
  static char out[buffer_size * 8];
  struct connection *connection = connections[descriptor];
  ssize_t count = read(descriptor, connection->bytes + connection->length, buffer_size - connection->length);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return close_connection(descriptor);
  connection->length += (size_t)count;
  size_t consumed = 0;
  char *end = out;
  struct request request;
  while (parse(connection->bytes + consumed, connection->length - consumed, &request)) {
    if (end + max_response > out + sizeof out) return close_connection(descriptor);
    end = respond(end, connection->bytes + consumed, &request);
    consumed += request.length;
  }
  if (consumed == 0 && connection->length == buffer_size) return close_connection(descriptor);
  memmove(connection->bytes, connection->bytes + consumed, connection->length - consumed);
  connection->length -= consumed;
  if (end > out && write(descriptor, out, (size_t)(end - out)) != end - out) close_connection(descriptor);
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

// The four dishes of the menu are one dish here, so that the others have the same numbers in all servers.
static void add_dishes(unsigned count) {
  size_t capacity = 16;
  while (capacity < 2 * (size_t)count) capacity *= 2;
  mask = capacity - 1;
  dishes = calloc(capacity, sizeof *dishes);
  if (!dishes) perror("limit"), exit(1);
  add_dish("b10de400-0000-8000-8000-000000000001", "\xF0\x9F\x8D\x9D Spaghetti Carbonara");
  for (unsigned number = 4; number < count; number++) {
    char id[id_size + 1], name[name_size];
    snprintf(id, sizeof id, "%08x-0000-8000-8000-000000000000", number);
    snprintf(name, sizeof name, "dish %u", number);
    add_dish(id, name);
  }
}

int main(int count, char **arguments) {
  if (count < 2 || count > 4) return fprintf(stderr, "limit PORT [DISHES [SHA256]]\n"), 2;
  add_dishes(count > 2 ? (unsigned)atoi(arguments[2]) : 0);
  has_token = count > 3;
  if (has_token && (sodium_init() < 0 ||
                    sodium_hex2bin(token, sizeof token, arguments[3], strlen(arguments[3]), NULL, NULL, NULL)))
    return fprintf(stderr, "limit: expected a SHA-256 digest in hexadecimal digits\n"), 2;
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
