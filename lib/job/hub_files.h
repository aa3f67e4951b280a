#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "logging/http_client.h"
#include "models/published_name.h"

namespace vitrain {
class Sha256;
}

namespace vitrain::job {

// Called during a download with the file, its bytes so far (including those of
// an earlier attempt) and its size.
using FetchProgress = std::function<
    void(const std::string& file, std::int64_t done, std::int64_t all)>;

// Downloads files of one repository of the Hugging Face hub into its cache, in
// the layout of huggingface_hub: blobs/HASH, snapshots/COMMIT/FILE, refs/REV.
class HubFiles {
 public:
  // `progress` must outlive it. Throws Error(kUsage) for an $HF_ENDPOINT that
  // is no address, and as HttpClient.
  HubFiles(models::PublishedName name, const FetchProgress& progress);

  // Asks the hub for the current version of a file and downloads it unless the
  // cache has it. Returns its path in the snapshot; nullopt if the repository
  // does not have it. Throws Error(kWeights) if the hub cannot be reached,
  // refuses, or does not send what it announces; Error(kStorage).
  std::optional<std::filesystem::path> fetch(const std::string& file);

  // Bytes received so far.
  std::int64_t bytes() const { return bytes_; }

 private:
  // A file as the hub announces it.
  struct Remote {
    std::string url; // of its bytes
    bool with_token = false; // $HF_TOKEN may be sent: the URL is the hub's own
    std::string commit;
    std::string etag; // name of the blob; SHA-256 for large files
    std::int64_t size = -1; // -1: not announced
  };

  static void read_headers(logging::HttpReply& reply, Remote& remote);
  std::string described(const std::string& file) const;
  void set_headers(bool with_token);
  std::optional<Remote> look_up(const std::string& file);
  logging::HttpReply ask(const std::string& url);
  void check_reply(const logging::HttpReply& reply, const std::string& file)
      const;
  void download(
      const std::string& file,
      const Remote& remote,
      const std::filesystem::path& blob);
  void receive(
      const std::string& file,
      const Remote& remote,
      const std::filesystem::path& part,
      int out);

  models::PublishedName name_;
  std::filesystem::path repository_;
  const FetchProgress& progress_;
  std::string endpoint_;
  logging::HttpClient client_;
  std::int64_t bytes_ = 0;
};

} // namespace vitrain::job
