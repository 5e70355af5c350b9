#pragma once
#include <curl/curl.h>

// Swift cannot call variadic C functions, so curl_easy_setopt and curl_easy_getinfo have a wrapper per argument type.

typedef size_t (*bindery_curl_write_callback)(char *, size_t, size_t, void *);

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

static inline CURLcode bindery_curl_set_write_callback(
    CURL *handle, CURLoption option, bindery_curl_write_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bindery_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
