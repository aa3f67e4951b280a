#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/system/files.h"
#include "logging/stream_output.h"

namespace vitrain::launch {

// Values in the header line that begins each attempt's part of a worker's log.
struct LogHeader {
  int rank = 0;
  int world_size = 1;
  std::string device; // "cuda:1 (NVIDIA H200)"
  std::string started_by = "vitrain";
  int restarts = 0; // number of earlier restarts of the run
};

// Returns "rank 1 of 4, cuda:1 (NVIDIA H200), started by vitrain on 2026-01-31
// at 12:00:00", with ", restart 2" after a restart, and a newline.
std::string log_header(const LogHeader& header);

// A log opened for appending, after its header line; `start` is the offset of
// the worker's own lines. open_worker_log() throws Error(kStorage), also if the
// path is not a regular file.
struct WorkerLog {
  Fd file;
  off_t start = 0;
};
WorkerLog open_worker_log(
    const std::filesystem::path& path,
    const LogHeader& header);

// Shows what workers write to their logs: whole lines only, each after "[rank
// N] ". Reads the log files, so that a slow terminal never holds up a worker,
// and never waits for the output's reader, so that it does not hold up the
// supervisor either.
class LogTee {
 public:
  // Writes to `out`, which must outlive it.
  explicit LogTee(logging::StreamOutput& out) : out_(out) {}

  // Shows the log of a worker from offset `start` on. Throws Error(kStorage) if
  // it cannot be read.
  void add(int rank, const std::filesystem::path& log, off_t start);

  // Shows the lines completed since the last call; if `last`, also an
  // incomplete line.
  void copy(bool last);

 private:
  struct Source {
    int rank = 0;
    Fd file;
    off_t position = 0;
    std::string rest; // an incomplete line
  };

  logging::StreamOutput& out_;
  std::vector<Source> sources_;
};

} // namespace vitrain::launch
