#pragma once

#include <filesystem>
#include <string>

#include "core/files.h"

namespace vitrain::launch {

// The line that a worker's part of its log begins with.
struct LogHeader {
  int rank = 0;
  int world_size = 1;
  std::string device; // "cuda:1 (NVIDIA H200)"
  std::string started_by = "vitrain";
  int restarts = 0; // how often the run has been started again
};

// "rank 1 of 4, cuda:1 (NVIDIA H200), started by vitrain on 2026-01-31 at
// 12:00:00", with ", restart 2" where there was one. Ends with a newline.
std::string log_header(const LogHeader& header);

// Opens a log for appending, writes the header and tells where the worker's own
// lines begin. Throws Error(kStorage), also for what is not a regular file.
struct WorkerLog {
  Fd file;
  off_t start = 0;
};
WorkerLog open_worker_log(
    const std::filesystem::path& path,
    const LogHeader& header);

} // namespace vitrain::launch
