#include "logging/http_client.h"

#include <dlfcn.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#undef curl_easy_getinfo
#undef curl_easy_setopt

#include <algorithm>
#include <cstddef>
#include <memory>

#include <fmt/format.h>

#include "core/ascii.h"
#include "core/check.h"
#include "core/text.h"

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

// Destination of a reply: `write` for the body of a good one, else `reply`.
struct Receiver {
  HttpReply& reply;
  const std::function<bool(std::string_view)>* write = nullptr;
  long status = 0; // HTTP status in the latest headers
};

std::size_t
receive(char* bytes, std::size_t size, std::size_t count, void* receiver) {
  auto& to = *static_cast<Receiver*>(receiver);
  const std::string_view part(bytes, size * count);
  if (to.write != nullptr && to.status >= 200 && to.status < 300) {
    return (*to.write)(part) ? part.size() : 0;
  }
  if (to.reply.body.size() + part.size() > kLargestReply) {
    return 0; // libcurl treats this as an error
  }
  to.reply.body.append(part);
  return part.size();
}

// Reads a header line: "HTTP/1.1 200 OK", which begins the headers of each
// reply (redirects have several), or "Name: value".
std::size_t receive_header(
    char* bytes,
    std::size_t size,
    std::size_t count,
    void* receiver) {
  auto& to = *static_cast<Receiver*>(receiver);
  const std::string_view line = trim({bytes, size * count});
  const std::size_t colon = line.find(':');
  if (line.starts_with("HTTP/")) {
    to.reply.headers.clear();
    std::int64_t status = 0;
    const std::size_t blank = std::min(line.find(' '), line.size());
    to.status = parse_int(trim(line.substr(blank)).substr(0, 3), status)
        ? static_cast<long>(status)
        : 0;
  } else if (colon != line.npos) {
    to.reply.headers[ascii_lower(std::string(line.substr(0, colon)))] =
        trim(line.substr(colon + 1));
  }
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

struct HttpClient::Request {
  const char* method = "GET";
  std::string_view body{}; // not sent with GET and HEAD
  const char* content_type = nullptr;
  double seconds = 0.0; // limit of time; 0: only of silence
  double connect_seconds = 15.0; // limit for connecting
  std::int64_t offset = 0; // first byte
  bool follows = false; // follows redirects
  const std::function<bool(std::string_view)>* write = nullptr;
};

void HttpClient::set_request(const std::string& url, const Request& request) {
  const auto set = [&](CURLoption option, auto value) {
    loaded_curl().set(handle_, option, value);
  };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_NOSIGNAL, 1L); // the process has several threads
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR,
      url.starts_with("https") ? "https" : "http,https");
  set(CURLOPT_FOLLOWLOCATION, request.follows ? 1L : 0L);
  if (is_loopback(url)) {
    set(CURLOPT_NOPROXY, "*"); // a proxy cannot reach this machine
  }
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(1000 * request.connect_seconds));
  if (request.seconds > 0) {
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(1000 * request.seconds));
  } else {
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
    set(CURLOPT_BUFFERSIZE, 512L << 10);
  }
  if (request.offset > 0) {
    set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(request.offset));
  }
  const std::string_view method = request.method;
  if (method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (method != "GET") {
    set(CURLOPT_CUSTOMREQUEST, request.method);
    set(CURLOPT_POSTFIELDSIZE_LARGE,
        static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
  }
}

HttpReply HttpClient::perform(const std::string& url, const Request& request) {
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
  // Disables libcurl's "Expect: 100-continue" before a large body.
  curl_slist* list = curl.append(nullptr, "Expect:");
  if (request.content_type != nullptr) {
    list = curl.append(
        list, fmt::format("Content-Type: {}", request.content_type).c_str());
  }
  for (const std::string& header : headers_) {
    list = curl.append(list, header.c_str());
  }
  const std::unique_ptr<curl_slist, decltype(curl.free_list)> headers(
      list, curl.free_list);
  Receiver receiver{.reply = reply, .write = request.write};
  set_request(url, request);
  set(CURLOPT_HTTPHEADER, list);
  set(CURLOPT_WRITEFUNCTION, &receive);
  set(CURLOPT_WRITEDATA, &receiver);
  set(CURLOPT_HEADERFUNCTION, &receive_header);
  set(CURLOPT_HEADERDATA, &receiver);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFODATA, this);
  curl_xferinfo_callback progress =
      [](void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
        return is_stopped(self) ? 1 : 0;
      };
  set(CURLOPT_XFERINFOFUNCTION, progress);
  const CURLcode code = curl.perform(handle_);
  if (code != CURLE_OK) {
    reply.body.clear();
    reply.error = curl.error(code);
    return reply;
  }
  curl.info(handle_, CURLINFO_RESPONSE_CODE, &reply.status);
  return reply;
}

HttpReply HttpClient::send(
    const std::string& method,
    const std::string& url,
    std::string_view body,
    const char* content_type,
    double seconds) {
  return perform(
      url,
      {.method = method.c_str(),
       .body = body,
       .content_type = content_type,
       .seconds = seconds,
       .connect_seconds = kConnectSeconds});
}

HttpReply HttpClient::head(const std::string& url) {
  return perform(url, {.method = "HEAD", .seconds = kSilentSeconds});
}

HttpReply HttpClient::download(
    const std::string& url,
    std::int64_t offset,
    const std::function<bool(std::string_view bytes)>& write) {
  return perform(
      url, {.offset = offset, .follows = headers_.empty(), .write = &write});
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
