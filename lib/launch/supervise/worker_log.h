#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/files/files.h"
#include "logging/terminal/stream_output.h"

namespace vitrain::launch {

// The line that a worker's part of its log begins with.
struct LogHeader {
  int rank = 0;
  int world_size = 1;
  std::string device; // "cuda:1 (NVIDIA H200)"
  std::string started_by = "vitrain";
  int restarts = 0; // how often the run has been started again
};

// Returns "rank 1 of 4, cuda:1 (NVIDIA H200), started by vitrain on 2026-01-31
// at 12:00:00", with ", restart 2" after a restart, and a newline.
std::string log_header(const LogHeader& header);

// Opens a log for appending and writes the header; `start` is the offset of the
// worker's own lines. Throws Error(kStorage), also if it is not a regular file.
struct WorkerLog {
  Fd file;
  off_t start = 0;
};
WorkerLog open_worker_log(
    const std::filesystem::path& path,
    const LogHeader& header);

// Shows what workers write to their logs, whole lines only, each after
// "[rank N] ". It reads the files, so a slow terminal never holds up a worker,
// and waits for no reader, so that it does not hold up the supervisor either.
class LogTee {
 public:
  // Writes to `out`, which must outlive it.
  explicit LogTee(logging::StreamOutput& out) : out_(out) {}

  // From byte `start` on. Throws Error(kStorage) when the log cannot be read.
  void add(int rank, const std::filesystem::path& log, off_t start);

  // Shows the lines that have been finished since the last call; with `last`,
  // also a line without an end.
  void copy(bool last);

 private:
  struct Source {
    int rank = 0;
    Fd file;
    off_t position = 0;
    std::string rest; // a line that has no end yet
  };

  logging::StreamOutput& out_;
  std::vector<Source> sources_;
};

} // namespace vitrain::launch
