#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/system/files.h"

namespace vitrain::logging {

// Sink for records (lines, or other byte strings that must not be split) that
// never stops its writer. Nothing throws: if the disk is full or the reader is
// gone, the record is dropped and counted. A pipe or terminal whose reader
// stalls is waited for at most kPatience. The rest of a partly written record
// is kept and written first, so that records stay complete. Not thread-safe.
// The process must ignore SIGPIPE and SIGXFSZ.
class RecordSink {
 public:
  static constexpr double kPatience = 0.1; // seconds
  // Bytes of the queue; a record that would exceed them is dropped, unless the
  // queue is empty.
  static constexpr std::size_t kMostPending = 64 * 1024;

  // A sink without descriptor, which drops and counts every record.
  RecordSink() = default;
  // Takes ownership of the descriptor. Does not change the caller's file status
  // flags: a pipe or terminal is opened again for non-blocking writes.
  explicit RecordSink(Fd fd);
  // Opens a file for appending, with additional `flags` (O_EXCL, ...) and mode
  // 0666 & ~umask. On failure, error() has the reason and every record is
  // dropped.
  static RecordSink open(const std::filesystem::path& path, int flags = 0);

  RecordSink(RecordSink&&) = default;
  RecordSink& operator=(RecordSink&&) = default;
  // Writes the queued records; waits at most kPatience for a stalled reader.
  ~RecordSink();

  // Writes a record, waiting at most `patience` seconds for a stalled reader (0
  // seconds after such a stall, until the reader continues).
  // Returns true if the record was written or queued, and no queued one was
  // dropped.
  bool write(std::string_view record, double patience = kPatience);
  // Writes queued records without waiting. Returns true if none is left: all
  // are written, or dropped because of an error.
  bool flush();

  explicit operator bool() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  std::int64_t dropped() const { return dropped_; }
  // Message of the first error; "" if there was none.
  const std::string& error() const { return error_; }
  // Returns the reason why records were dropped.
  std::string reason() const {
    return error_.empty() ? "its reader is too slow" : error_;
  }

 private:
  enum class Kind { kFile, kStream, kSocket };

  // Writes the queue until it is empty, a write fails, or `patience` is over.
  void push(double patience);
  // Performs one write(2) of at most `size` bytes; fails with EAGAIN if it
  // would block.
  std::ptrdiff_t write_some(const char* bytes, std::size_t size);
  void note_error(int error_number);

  Fd fd_;
  Kind kind_ = Kind::kFile;
  bool nonblocking_ = false;
  bool stalled_ = false;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t front_written_ = 0; // bytes of queue_.front() already written
  std::int64_t dropped_ = 0;
  std::string error_;
};

} // namespace vitrain::logging
