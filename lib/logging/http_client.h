#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::logging {

struct HttpReply {
  long status = 0; // HTTP status; 0: no complete reply
  std::string body;
  std::string error; // reason if there is no usable reply; else ""
  // Headers of the last reply, names in lower case.
  std::map<std::string, std::string> headers{};

  bool good() const { return status >= 200 && status < 300; }
  // True if the same request may succeed later.
  bool try_again() const {
    return status == 0 || status == 408 || status == 429 || status >= 500;
  }
};

// HTTP client for sequential requests. It uses libcurl, which is loaded with
// the first client, so that programs that send nothing do not need it. Only one
// thread at a time may use a client, but any thread may call stop().
class HttpClient {
 public:
  // Throws Error(kUsage) if libcurl cannot be loaded, Error(kInternal) if it
  // fails.
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sets the headers of all later requests: {"Authorization: ..."}.
  void set_headers(std::vector<std::string> headers) {
    headers_ = std::move(headers);
  }
  // Sends a request and returns the reply. Takes at most `seconds`, of these at
  // most kConnectSeconds for connecting. `body` is not sent with method "GET".
  // Errors of the server or the network are in the reply, not thrown.
  HttpReply send(
      const std::string& method,
      const std::string& url,
      std::string_view body,
      const char* content_type,
      double seconds);
  // Sends a HEAD request, without following redirects. Takes at most
  // kSilentSeconds.
  HttpReply head(const std::string& url);
  // Sends a GET request for the bytes from `offset` on, following redirects if
  // no headers are set. Passes the body of a reply that is good() to `write`
  // in parts; ends with an error if that returns false. Without a limit of
  // time, but fails after kSilentSeconds without a byte.
  HttpReply download(
      const std::string& url,
      std::int64_t offset,
      const std::function<bool(std::string_view bytes)>& write);
  // Aborts the current request, usually within a second, and all later ones.
  void stop() { stopped_ = true; }

  static constexpr double kConnectSeconds = 3.0;
  static constexpr long kSilentSeconds = 30;

 private:
  struct Request;

  void set_request(const std::string& url, const Request& request);
  HttpReply perform(const std::string& url, const Request& request);
  static bool is_stopped(void* self);

  void* handle_; // CURL*
  std::vector<std::string> headers_;
  std::atomic<bool> stopped_ = false;
};

// Encodes a text for one part of a URL's path or query: all bytes but ASCII
// letters, digits and - _ . ~ become %XX.
std::string url_encoded(std::string_view text);

} // namespace vitrain::logging
