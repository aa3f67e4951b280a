#include "job/hub_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/ascii.h"
#include "core/check.h"
#include "core/sha256.h"
#include "core/system/files.h"
#include "core/system/system.h"
#include "core/text.h"
#include "core/url.h"
#include "job/weights_cache.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

using logging::HttpReply;

constexpr int kTries = 5; // of a request that gets no reply

// Returns "SCHEME://HOST[:PORT]" of a URL; "" if it has no scheme.
std::string origin_of(const std::string& url) {
  const std::size_t host = url.find("://");
  return host == url.npos ? "" : url.substr(0, url.find('/', host + 3));
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::ranges::all_of(text, [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f');
         });
}

// Returns W/"abc" and "abc" as abc.
std::string plain_etag(std::string etag) {
  etag = without_prefix(etag, "W/");
  std::erase(etag, '"');
  return etag;
}

// Empties a partial file and its hash. Returns 0, its number of bytes.
std::int64_t restart(int out, Sha256& hash) {
  hash = Sha256();
  VITRAIN_CHECK(
      ::ftruncate(out, 0) == 0 && ::lseek(out, 0, SEEK_SET) == 0,
      ExitCode::kStorage,
      "an incomplete file cannot be emptied: {}",
      error_text(errno));
  return 0;
}

// Hashes the bytes that an earlier attempt has written. Returns their number;
// empties the file and returns 0 if they are too many or cannot be read.
std::int64_t hash_part(int out, std::int64_t size, Sha256& hash) {
  std::vector<char> buffer(std::size_t{1} << 20);
  std::int64_t done = 0;
  ssize_t got = 0;
  while ((got = ::read(out, buffer.data(), buffer.size())) > 0) {
    hash.update(buffer.data(), static_cast<std::size_t>(got));
    done += got;
  }
  return got < 0 || done > size ? restart(out, hash) : done;
}

} // namespace

HubFiles::HubFiles(models::PublishedName name, const FetchProgress& progress)
    : name_(std::move(name)),
      repository_(hub_repository(name_.repository)),
      progress_(progress) {
  const std::string endpoint = environment_variable("HF_ENDPOINT");
  endpoint_ = endpoint.empty() ? "https://huggingface.co" : endpoint;
  while (endpoint_.ends_with('/')) {
    endpoint_.pop_back();
  }
  VITRAIN_CHECK(
      endpoint_.starts_with("https://") || endpoint_.starts_with("http://"),
      ExitCode::kUsage,
      "HF_ENDPOINT: '{}' is no address: give one as https://huggingface.co",
      printable(endpoint_));
}

std::optional<fs::path> HubFiles::fetch(const std::string& file) {
  const std::optional<Remote> remote = look_up(file);
  if (!remote) {
    return std::nullopt;
  }
  const fs::path blob = repository_ / "blobs" / remote->etag;
  make_folders(blob.parent_path());
  std::error_code error;
  if (!fs::exists(blob, error)) {
    download(file, *remote, blob);
  }
  const fs::path path = repository_ / "snapshots" / remote->commit / file;
  make_folders(path.parent_path());
  // Links are relative, so that the cache can be moved.
  const fs::path target = fs::relative(blob, path.parent_path());
  if (!fs::exists(path, error)) {
    fs::remove(path, error);
    fs::create_symlink(target, path, error);
    VITRAIN_CHECK(
        !error,
        ExitCode::kStorage,
        "{}: {}",
        printable(path.native()),
        error.message());
  }
  if (name_.revision != remote->commit) {
    const fs::path ref = repository_ / "refs" / name_.revision;
    make_folders(ref.parent_path());
    write_file_atomically(ref, remote->commit);
  }
  return path;
}

std::string HubFiles::described(const std::string& file) const {
  return printable(fmt::format(
      "{}/{}@{}/{}",
      hide_user_info(endpoint_),
      name_.repository,
      name_.revision,
      file));
}

// Sets the headers of the next request. The token is sent to the endpoint
// alone, and not over unencrypted connections to other machines.
void HubFiles::set_headers(bool with_token) {
  const std::string token = environment_variable("HF_TOKEN");
  const bool is_safe = endpoint_.starts_with("https://") ||
      endpoint_.starts_with("http://127.0.0.1") ||
      endpoint_.starts_with("http://localhost");
  std::vector<std::string> headers;
  if (with_token && is_safe && !token.empty()) {
    headers.push_back("Authorization: Bearer " + token);
  }
  client_.set_headers(std::move(headers));
}

// Takes commit, etag and size from a reply, unless an earlier one had them.
void HubFiles::read_headers(HttpReply& reply, Remote& remote) {
  if (remote.commit.empty()) {
    remote.commit = reply.headers["x-repo-commit"];
  }
  for (const char* key : {"x-linked-etag", "etag"}) {
    if (remote.etag.empty()) {
      remote.etag = plain_etag(reply.headers[key]);
    }
  }
  const bool moved = reply.status >= 300 && reply.status < 400;
  for (const char* key : {"x-linked-size", moved ? "" : "content-length"}) {
    if (std::int64_t size = 0;
        remote.size < 0 && parse_int(reply.headers[key], size)) {
      remote.size = size;
    }
  }
}

// Asks for size, hash and address of a file. Returns nullopt if the repository
// does not have it; throws Error(kWeights) for other failures.
std::optional<HubFiles::Remote> HubFiles::look_up(const std::string& file) {
  Remote remote{
      .url = fmt::format(
          "{}/{}/resolve/{}/{}",
          endpoint_,
          name_.repository,
          logging::url_encoded(name_.revision),
          file),
      .with_token = true};
  HttpReply reply;
  constexpr int kMostRedirects = 5;
  for (int i = 0; i <= kMostRedirects; ++i) {
    set_headers(/*with_token=*/true);
    reply = ask(remote.url);
    read_headers(reply, remote);
    if (reply.status < 300 || reply.status >= 400) {
      break;
    }
    const std::string location = reply.headers["location"];
    remote.url =
        location.starts_with('/') ? origin_of(remote.url) + location : location;
    if (origin_of(remote.url) != origin_of(endpoint_)) {
      remote.with_token = false; // a storage with signed addresses
      reply.status = 200;
      break;
    }
  }
  const std::string problem = reply.headers["x-error-code"];
  if (reply.status == 404 && problem != "RepoNotFound" &&
      problem != "RevisionNotFound") {
    return std::nullopt;
  }
  check_reply(reply, file);
  VITRAIN_CHECK(
      remote.size >= 0 && is_hex(remote.commit, 40) &&
          (is_hex(remote.etag, 64) || is_hex(remote.etag, 40)),
      ExitCode::kWeights,
      "{}: the reply is not that of a Hugging Face hub: size {}, commit '{}', "
      "hash '{}'",
      described(file),
      remote.size,
      printable(remote.commit),
      printable(remote.etag));
  return remote;
}

// Throws Error(kWeights) if the request failed.
void HubFiles::check_reply(const HttpReply& reply, const std::string& file)
    const {
  const bool denied = reply.status == 401 || reply.status == 403;
  VITRAIN_CHECK(
      reply.good() && reply.error.empty(),
      ExitCode::kWeights,
      "{}: {}{}",
      described(file),
      reply.error.empty() ? fmt::format("the hub answers {}", reply.status)
                          : reply.error,
      denied ? ": no such repository, or not without permission (accept its "
               "terms and set HF_TOKEN)"
          : reply.status == 404 ? ": no such repository or revision"
                                : "");
}

// Sends a HEAD request, up to kTries times if the failure may be temporary.
// Returns the last reply.
HttpReply HubFiles::ask(const std::string& url) {
  HttpReply reply = client_.head(url);
  for (int i = 1; i < kTries && reply.try_again(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250 << i));
    reply = client_.head(url);
  }
  return reply;
}

// Downloads a blob, or the rest of it, unless another process has done so.
// Throws Error(kStorage) or Error(kWeights).
void HubFiles::download(
    const std::string& file,
    const Remote& remote,
    const fs::path& blob) {
  const fs::path locks = hub_folder() / ".locks" / repository_.filename();
  make_folders(locks);
  // huggingface_hub uses the same lock.
  const fs::path lock = locks / (remote.etag + ".lock");
  const Fd held(::open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
  while (held && ::flock(held.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  std::error_code error;
  if (fs::exists(blob, error)) {
    return; // another process fetched it while this one waited for the lock
  }
  const fs::path part = blob.native() + ".incomplete";
  const Fd out(::open(part.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
  VITRAIN_CHECK(
      bool(out),
      ExitCode::kStorage,
      "{}: {}",
      printable(part.native()),
      error_text(errno));
  receive(file, remote, part, out.get());
  VITRAIN_CHECK(
      ::fsync(out.get()) == 0 && ::rename(part.c_str(), blob.c_str()) == 0,
      ExitCode::kStorage,
      "{}: {}",
      printable(blob.native()),
      error_text(errno));
}

// Writes the rest of a file. Checks its size and, if the etag is a SHA-256, its
// hash; if they are wrong, empties it and throws Error(kWeights).
void HubFiles::receive(
    const std::string& file,
    const Remote& remote,
    const fs::path& part,
    int out) {
  Sha256 hash;
  std::int64_t done = hash_part(out, remote.size, hash);
  int storage_error = 0;
  const auto write = [&](std::string_view bytes) {
    done += std::ssize(bytes);
    bytes_ += std::ssize(bytes);
    hash.update(bytes.data(), bytes.size());
    progress_(file, done, remote.size);
    storage_error = write_all(out, bytes.data(), bytes.size());
    return storage_error == 0 && done <= remote.size;
  };
  set_headers(remote.with_token);
  for (int tries = 0; done < remote.size;) {
    const std::int64_t before = done;
    const HttpReply reply = client_.download(remote.url, done, write);
    VITRAIN_CHECK(
        storage_error == 0,
        ExitCode::kStorage,
        "{}: {}",
        printable(part.native()),
        error_text(storage_error));
    if (done > before) {
      tries = 0; // bytes arrived: all tries are left
      continue;
    }
    if (++tries == kTries || !reply.try_again()) {
      check_reply(reply, file);
      break;
    }
    if (before > 0) { // the server may refuse ranges
      done = restart(out, hash);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(250 << tries));
  }
  const std::string found = is_hex(remote.etag, 64) ? hash.hex() : "";
  if (done == remote.size && (found.empty() || found == remote.etag)) {
    return;
  }
  restart(out, hash);
  fail(
      ExitCode::kWeights,
      "{}: {} bytes with SHA-256 {} have come, and {} with {} are announced: "
      "they are discarded; try again",
      described(file),
      with_commas(done),
      found,
      with_commas(remote.size),
      remote.etag);
}

} // namespace vitrain::job
