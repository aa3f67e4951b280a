#pragma once

#include <cstdint>
#include <string_view>

#include "logging/record_sink.h"

namespace vitrain::logging {

// Standard stream of a supervisor, which must not wait long for the reader of
// its output (a full pipe, a paused terminal, a reader that is gone). Lines
// that are not written within RecordSink::kPatience (0.1 s per call; 0 after a
// stall, until the reader continues) are kept in a bounded buffer; lines that
// do not fit are dropped and counted, and their number is written as soon as
// the reader continues. Not thread-safe. The process must ignore SIGPIPE,
// SIGTTOU and SIGXFSZ (launch::ignore_output_signals()).
class StreamOutput {
 public:
  // Longest time that the destructor waits for a slow reader, in seconds.
  static constexpr double kLastWait = 1.0;

  // Duplicates the descriptor; the caller keeps its own.
  explicit StreamOutput(int fd);
  StreamOutput(const StreamOutput&) = delete;
  StreamOutput& operator=(const StreamOutput&) = delete;
  ~StreamOutput();

  // Writes or buffers the lines of `text`; lines are never split.
  void write(std::string_view text);
  // As write(), but wrapped between words if the stream is a terminal.
  void message(std::string_view text);
  // Writes buffered lines as far as possible without waiting. Call it
  // regularly.
  void flush();

  // True if the stream is a terminal.
  bool is_terminal() const { return is_terminal_; }
  // Returns the number of lines that were dropped so far.
  std::int64_t dropped() const { return sink_.dropped() - lost_notes_; }

 private:
  RecordSink sink_;
  bool is_terminal_;
  // Dropped lines that have been reported to the reader.
  std::int64_t reported_ = 0;
  std::int64_t lost_notes_ = 0; // notes about dropped lines, dropped themselves
};

// Returns the stream for this process's standard error, made on first use. All
// calls must come from one thread.
StreamOutput& standard_error();

} // namespace vitrain::logging
