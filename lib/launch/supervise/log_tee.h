#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/files.h"

namespace vitrain::launch {

// Shows what workers write to their logs, whole lines only, each after
// "[rank N] ". It reads the files, so a slow terminal never holds up a worker.
class LogTee {
 public:
  // Writes to the descriptor `out`, which stays the caller's.
  explicit LogTee(int out) : out_(out) {}

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

  int out_;
  std::vector<Source> sources_;
};

} // namespace vitrain::launch
