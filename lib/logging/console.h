#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "logging/record_sink.h"
#include "logging/terminal_style.h"

namespace vitrain::logging {

// Shortest time between two redraws of a live line.
inline constexpr double kRedrawSeconds = 0.1;

struct ConsoleOptions {
  int log_fd = 1; // log file of the worker; -1: none
  int terminal_fd = -1; // user's terminal, for rank 0 only; -1: none
  // Printed before every line on the terminal; "" if no other process uses it.
  std::string prefix;
  bool plain = false; // no colours and no live line on any output
};

// Returns standard output as the log and, if VITRAIN_TERMINAL_FD names an open
// descriptor (rank 0 of a supervised run), that descriptor as the terminal.
// Marks it close-on-exec.
ConsoleOptions console_options_from_environment();

// Text output of one process: its log file and, on rank 0, the terminal. Both
// get plain, complete lines. Only a terminal gets colours and a live line,
// which require ConsoleOptions without prefix and `plain`, and a TERM other
// than "dumb"; colours also that NO_COLOR is unset or empty. Writing never
// throws and never stops a run: output that cannot be written is dropped and
// counted. Thread-safe.
class Console {
 public:
  // Duplicates the descriptors; the caller keeps its own.
  explicit Console(const ConsoleOptions& options);
  // Erases the live line.
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Prints one or more lines; control characters are printed as \xHH. On a
  // terminal without ConsoleOptions::prefix, long lines are wrapped.
  void info(std::string_view text);
  // Print as info(), with the prefix "warning: " or "error: ".
  void warn(std::string_view text);
  void error(std::string_view text);
  // Prints as info(), but only to the log file.
  void log(std::string_view text);
  // Prints a text that depends on the output: calls `render` with the style of
  // each existing output (log file, terminal) and writes the result without
  // wrapping or escaping, with a newline added if it does not end with one.
  void print(const std::function<std::string(const TerminalStyle&)>& render);

  // As print(), but only to the terminal.
  void show(const std::function<std::string(const TerminalStyle&)>& render);

  // True if the terminal can show a live line.
  bool is_live() const { return live_possible_; }
  // Shows `text` (one line; escape sequences are allowed) below all other
  // lines, in place of the previous live line, cut to the width of the
  // terminal; "" removes it. Does nothing if is_live() is false or while
  // earlier output waits for the terminal.
  void live(std::string_view text);
  // Returns the style of the terminal, with its present width (unknown: COLUMNS
  // or 80), at least 20.
  TerminalStyle style() const;

  // Number of lines (or texts of several lines) that could not be written.
  std::int64_t dropped() const;
  // Returns a sentence about dropped output and the reason; "" if there is
  // none.
  std::string problem() const;

 private:
  void say(std::string_view text, std::string_view prefix, Tint tint);
  void to_terminal(const std::string& text);

  mutable std::mutex mutex_;
  RecordSink log_;
  RecordSink terminal_;
  std::string prefix_;
  bool has_log_ = false;
  bool has_terminal_ = false;
  bool live_possible_ = false;
  bool wraps_ = false;
  bool colour_ = false;
  bool unicode_ = false;
  std::string live_;
};

} // namespace vitrain::logging
