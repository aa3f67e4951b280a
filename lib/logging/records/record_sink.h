#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/files/files.h"

namespace vitrain::logging {

// Where records (lines, or other byte strings that must stay whole) are
// written without ever stopping the writer: nothing throws, a full disk or a
// reader that went away costs the record and is counted, and a pipe or
// terminal whose reader stalls is not waited for beyond kPatience. Of a record
// that was written in part the rest is kept and written first, so that records
// stay whole. Not thread-safe. The process must ignore SIGPIPE and SIGXFSZ.
class RecordSink {
 public:
  static constexpr double kPatience = 0.1; // seconds
  static constexpr std::size_t kMostPending = 64 * 1024; // bytes

  // Without a descriptor: every record is dropped and counted.
  RecordSink() = default;
  // Takes the descriptor. The caller's file status flags stay as they are: a
  // pipe or terminal is opened anew to be used without blocking.
  explicit RecordSink(Fd fd);
  // Opens a file for appending with `flags` in addition (O_EXCL, ...), mode
  // 0666 & ~umask. A failure is kept as error() and drops every record.
  static RecordSink open(const std::filesystem::path& path, int flags = 0);

  RecordSink(RecordSink&&) = default;
  RecordSink& operator=(RecordSink&&) = default;
  // Waits at most kPatience for a reader that has stalled.
  ~RecordSink();

  // Returns true when the record is written, or queued behind a stalled reader,
  // which is waited for at most `patience` seconds.
  bool write(std::string_view record, double patience = kPatience);
  // Writes the queue without waiting; returns true if nothing is left.
  bool flush();

  explicit operator bool() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  std::int64_t dropped() const { return dropped_; }
  // Text of the first error, "" while there was none.
  const std::string& error() const { return error_; }
  // Why records were dropped.
  std::string reason() const {
    return error_.empty() ? "its reader is too slow" : error_;
  }

 private:
  enum class Kind { kFile, kStream, kSocket };

  // Writes the queue until it is empty, fails or would block.
  void push(double patience);
  // One write(2) of at most `size` bytes; EAGAIN if it would block.
  std::ptrdiff_t write_some(const char* bytes, std::size_t size);
  void note_error(int error_number);

  Fd fd_;
  Kind kind_ = Kind::kFile;
  bool nonblocking_ = false;
  bool stalled_ = false;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t front_written_ = 0; // bytes of queue_.front() that are out
  std::int64_t dropped_ = 0;
  std::string error_;
};

} // namespace vitrain::logging
