#include "logging/http_client.h"

#include <dlfcn.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#undef curl_easy_getinfo
#undef curl_easy_setopt

#include <cstddef>
#include <memory>

#include <fmt/format.h>

#include "core/ascii.h"
#include "core/check.h"

namespace vitrain::logging {
namespace {

constexpr std::size_t kLargestReply = std::size_t{16} << 20; // bytes

// Functions of libcurl used here.
struct Curl {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_reset) reset = nullptr;
  decltype(&curl_easy_setopt) set = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) info = nullptr;
  decltype(&curl_easy_strerror) error = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_list = nullptr;
};

template <typename Function>
void find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  VITRAIN_CHECK(
      function != nullptr, ExitCode::kUsage, "libcurl has no {}", name);
}

Curl load_curl() {
  void* library = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    library = ::dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  }
  VITRAIN_CHECK(
      library != nullptr,
      ExitCode::kUsage,
      "libcurl.so.4 cannot be loaded: install it (Debian: libcurl4)");
  Curl curl;
  find_function(library, "curl_global_init", curl.global_init);
  find_function(library, "curl_easy_init", curl.init);
  find_function(library, "curl_easy_cleanup", curl.cleanup);
  find_function(library, "curl_easy_reset", curl.reset);
  find_function(library, "curl_easy_setopt", curl.set);
  find_function(library, "curl_easy_perform", curl.perform);
  find_function(library, "curl_easy_getinfo", curl.info);
  find_function(library, "curl_easy_strerror", curl.error);
  find_function(library, "curl_slist_append", curl.append);
  find_function(library, "curl_slist_free_all", curl.free_list);
  curl.global_init(CURL_GLOBAL_DEFAULT);
  return curl;
}

const Curl& loaded_curl() {
  static const Curl curl = load_curl();
  return curl;
}

bool is_loopback(std::string_view url) {
  return url.starts_with("http://127.") ||
      url.starts_with("http://localhost") || url.starts_with("http://[::1]");
}

std::size_t
keep_reply(char* bytes, std::size_t size, std::size_t count, void* reply) {
  std::string& body = static_cast<HttpReply*>(reply)->body;
  if (body.size() + size * count > kLargestReply) {
    return 0; // libcurl treats this as an error
  }
  body.append(bytes, size * count);
  return size * count;
}

} // namespace

HttpClient::HttpClient() : handle_(loaded_curl().init()) {
  VITRAIN_CHECK(
      handle_ != nullptr, ExitCode::kInternal, "libcurl cannot be used");
}

HttpClient::~HttpClient() {
  loaded_curl().cleanup(handle_);
}

bool HttpClient::is_stopped(void* self) {
  return static_cast<HttpClient*>(self)->stopped_;
}

HttpReply HttpClient::send(
    const std::string& method,
    const std::string& url,
    std::string_view body,
    const char* content_type,
    double seconds) {
  HttpReply reply;
  if (stopped_) {
    reply.error = "stopped";
    return reply;
  }
  const Curl& curl = loaded_curl();
  const auto set = [&](CURLoption option, auto value) {
    curl.set(handle_, option, value);
  };
  curl.reset(handle_);
  curl_slist* list = curl.append(
      nullptr, fmt::format("Content-Type: {}", content_type).c_str());
  // Disables libcurl's "Expect: 100-continue" before a large body.
  list = curl.append(list, "Expect:");
  for (const std::string& header : headers_) {
    list = curl.append(list, header.c_str());
  }
  const std::unique_ptr<curl_slist, decltype(curl.free_list)> headers(
      list, curl.free_list);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_HTTPHEADER, list);
  set(CURLOPT_NOSIGNAL, 1L); // the process has several threads
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  if (is_loopback(url)) {
    set(CURLOPT_NOPROXY, "*"); // a proxy cannot reach this machine
  }
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(1000 * kConnectSeconds));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(1000 * seconds));
  set(CURLOPT_WRITEFUNCTION, &keep_reply);
  set(CURLOPT_WRITEDATA, &reply);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFODATA, this);
  curl_xferinfo_callback progress =
      [](void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
        return is_stopped(self) ? 1 : 0;
      };
  set(CURLOPT_XFERINFOFUNCTION, progress);
  if (method != "GET") {
    set(CURLOPT_CUSTOMREQUEST, method.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.data());
  }
  const CURLcode code = curl.perform(handle_);
  if (code != CURLE_OK) {
    reply.body.clear();
    reply.error = curl.error(code);
    return reply;
  }
  curl.info(handle_, CURLINFO_RESPONSE_CODE, &reply.status);
  return reply;
}

std::string url_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = is_letter(c) || is_digit(c) || c == '-' || c == '_' ||
        c == '.' || c == '~';
    encoded += plain ? std::string(1, c)
                     : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

} // namespace vitrain::logging
