#pragma once

#include <cstdint>
#include <string_view>

#include "logging/records/record_sink.h"

namespace vitrain::logging {

// A standard stream of a supervising process, which watches workers and must
// never wait for the reader of its words: a full pipe, a paused terminal, a
// reader that is gone. Lines that cannot be written at once are kept in a
// bounded buffer; lines that do not fit are dropped and counted, and the reader
// gets the count as soon as it reads again. Not thread-safe. The process must
// ignore SIGPIPE, SIGTTOU and SIGXFSZ (launch::ignore_output_signals()).
class StreamOutput {
 public:
  // Seconds that the destructor waits for a slow reader.
  static constexpr double kLastWait = 1.0;

  // The descriptor stays the caller's; it is duplicated.
  explicit StreamOutput(int fd);
  StreamOutput(const StreamOutput&) = delete;
  StreamOutput& operator=(const StreamOutput&) = delete;
  ~StreamOutput();

  // Writes or keeps the lines of `text`, each whole.
  void write(std::string_view text);
  // As write(), wrapped between words if a person reads there.
  void message(std::string_view text);
  // Writes kept lines as far as the reader takes them; call it regularly.
  void flush();

  // Returns whether a person reads there.
  bool is_terminal() const { return is_terminal_; }
  // Returns the number of lines that were dropped so far.
  std::int64_t dropped() const { return sink_.dropped() - lost_notes_; }

 private:
  RecordSink sink_;
  bool is_terminal_;
  std::int64_t reported_ = 0; // dropped lines of which the reader knows
  std::int64_t lost_notes_ = 0; // notes about dropped lines, dropped themselves
};

// The standard error of this process, made on first use, which is on one
// thread.
StreamOutput& standard_error();

} // namespace vitrain::logging
