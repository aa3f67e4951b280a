#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::logging {

struct HttpReply {
  long status = 0; // 0: there was none
  std::string body;
  std::string error; // why there was none

  bool good() const { return status >= 200 && status < 300; }
  // Whether the same request may succeed later.
  bool try_again() const {
    return status == 0 || status == 408 || status == 429 || status >= 500;
  }
};

// Requests over HTTP, one after another, by libcurl, which is loaded when the
// first client is made: programs that send nothing neither need it nor wait for
// it. One thread at a time may use a client; any thread may stop it.
class HttpClient {
 public:
  // Throws Error(kUsage) if libcurl cannot be loaded.
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Headers of every request: "Authorization: ...".
  void set_headers(std::vector<std::string> headers) {
    headers_ = std::move(headers);
  }
  // Never throws for errors of the server or the network. Takes at most
  // `seconds`, of them kConnectSeconds for connecting.
  HttpReply send(
      const std::string& method,
      const std::string& url,
      std::string_view body,
      const char* content_type,
      double seconds);
  // Ends the request that is on its way, and those to come, within 0.1 s or so.
  void stop() { stopped_ = true; }

  static constexpr double kConnectSeconds = 3.0;

 private:
  static bool is_stopped(void* self);

  void* handle_; // CURL*
  std::vector<std::string> headers_;
  std::atomic<bool> stopped_ = false;
};

// A text as a part of a URL's path or query: %20 for a blank.
std::string url_encoded(std::string_view text);

} // namespace vitrain::logging
