#pragma once
#include <curl/curl.h>

// Swift cannot call functions with a variable number of arguments: each kind of argument has a wrapper.

typedef size_t (*bindery_curl_sink)(char *, size_t, size_t, void *);

static inline CURLcode bindery_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bindery_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bindery_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bindery_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bindery_curl_set_sink(CURL *handle, CURLoption option, bindery_curl_sink value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bindery_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
