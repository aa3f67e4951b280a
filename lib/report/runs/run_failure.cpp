#include "report/runs/run_failure.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::report {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff kTail = std::streamoff{16} << 10; // bytes
constexpr std::size_t kMostWorkers = 64; // workers whose logs are read

// Returns the rank N of a file workerlog.N; -1 for other names.
std::int64_t rank_of(const fs::path& file) {
  std::int64_t rank = -1;
  const std::string name = file.filename().native();
  constexpr std::string_view kPrefix = "workerlog.";
  return name.starts_with(kPrefix) &&
          parse_int(name.substr(kPrefix.size()), rank)
      ? rank
      : -1;
}

// True if the error is only the consequence of another worker's end.
bool is_consequence(const std::string& reason) {
  constexpr std::string_view kWords[] = {
      "probably because another worker is gone",
      "gloo/",
      "Connection closed by peer",
      "Connection reset by peer",
      "the connection between workers and servers was closed",
      "remote process exited"}; // error text of NCCL
  return std::ranges::any_of(kWords, [&](std::string_view word) {
    return reason.find(word) != std::string::npos;
  });
}

// True for "rank 0 of 2, cpu, started by vitrain on ...": the lines after it
// belong to another attempt.
bool begins_attempt(const std::string& line) {
  return line.starts_with("rank ") &&
      line.find(", started by ") != std::string::npos;
}

std::string last_error(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  input.seekg(0, std::ios::end);
  const std::streamoff size = input.tellg();
  input.seekg(std::max<std::streamoff>(0, size - kTail));
  std::string found;
  std::string line;
  while (std::getline(input, line)) {
    constexpr std::string_view kError = "error: ";
    if (begins_attempt(line)) {
      found.clear();
    }
    const std::size_t at = line.find(kError);
    // Matches "error: ..." and "error: rank 3: ...", also with a colour code
    // before.
    if (at != std::string::npos && at < 16) {
      found = line.substr(at + kError.size());
    }
  }
  return found;
}

} // namespace

std::string why_it_failed(const fs::path& log_folder) {
  std::vector<std::pair<std::int64_t, fs::path>> logs;
  std::error_code error;
  for (fs::directory_iterator it(log_folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    const std::int64_t rank = rank_of(it->path());
    // Reading a FIFO would not end.
    if (rank >= 0 && it->is_regular_file(ignored)) {
      logs.emplace_back(rank, it->path());
    }
  }
  std::ranges::sort(logs);
  logs.resize(std::min(logs.size(), kMostWorkers));
  std::string found;
  std::optional<std::int64_t> silent;
  for (const auto& [rank, file] : logs) {
    std::string reason = last_error(file);
    if (!reason.empty() && !is_consequence(reason)) {
      return reason;
    }
    if (reason.empty() && !silent) {
      silent = rank;
    }
    found = found.empty() ? reason : found;
  }
  // The other workers lost a peer that could not log an error.
  return !found.empty() && silent
      ? fmt::format("rank {} ended without a word", *silent)
      : found;
}

} // namespace vitrain::report
