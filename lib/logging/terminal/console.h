#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "logging/records/record_sink.h"
#include "logging/terminal/terminal_style.h"

namespace vitrain::logging {

// A live line is drawn again after this time at the earliest.
inline constexpr double kRedrawSeconds = 0.1;

struct ConsoleOptions {
  int log_fd = 1; // the worker's log file; -1: none
  int terminal_fd = -1; // where a person reads, rank 0 only; -1: none
  // Before every line on the terminal, which several processes share then.
  std::string prefix;
  bool plain = false; // neither colours nor a live line, whatever it is
};

// Standard output as the log and, where VITRAIN_TERMINAL_FD names an open
// descriptor (rank 0 of a supervised run), that one as the terminal. The named
// descriptor is marked close-on-exec.
ConsoleOptions console_options_from_environment();

// Where the words of one process go: its log file and, on rank 0, the
// terminal. Plain whole lines to both; colours and a live line only on a
// terminal. Colours need NO_COLOR to be unset or empty, both need a TERM other
// than "dumb". Writing never throws and never stops a run: what cannot be
// written is dropped and counted. Safe to use from any thread.
class Console {
 public:
  // The descriptors stay the caller's; they are duplicated.
  explicit Console(const ConsoleOptions& options);
  // Erases the live line.
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // One or more lines of text; control characters are written as \xHH. On a
  // terminal that is this process's alone, long lines are wrapped.
  void info(std::string_view text);
  // As info(), after "warning: " and "error: ".
  void warn(std::string_view text);
  void error(std::string_view text);
  // As info(), to the log file only.
  void log(std::string_view text);
  // Prints a text that depends on the style of the output: `render` is called
  // once for the terminal and once for the log file, and its result is written
  // unchanged.
  void print(const std::function<std::string(const TerminalStyle&)>& render);

  // As print(), to the terminal only.
  void show(const std::function<std::string(const TerminalStyle&)>& render);

  // True when the terminal shows a live line.
  bool is_live() const { return live_possible_; }
  // Shows `text` (one line, escape sequences allowed) below all other lines in
  // place of the last one, cut to the width of the terminal; "" removes it.
  // Nothing happens where is_live() is false, or while the terminal is slow.
  void live(std::string_view text);
  // How the terminal wants its text, its width as it is now.
  TerminalStyle style() const;

  // Lines (or texts of several lines) that could not be written.
  std::int64_t dropped() const;
  // Returns a sentence on dropped output and the reason, or "".
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
