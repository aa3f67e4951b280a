#include "logging/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/system/system.h"
#include "core/system/terminal.h"
#include "core/text.h"

namespace vitrain::logging {
namespace {

std::string whole(const std::string& text) {
  return text.ends_with('\n') ? text : text + "\n";
}

constexpr std::string_view kErase = "\r\x1b[K";
constexpr int kNarrowest = 20;

// True if the user's locale (not the process's, which is "C") uses UTF-8.
bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = environment_variable(name);
    if (!value.empty()) {
      return value.find("UTF-8") != std::string::npos ||
          value.find("utf8") != std::string::npos ||
          value.find("utf-8") != std::string::npos;
    }
  }
  return false;
}

RecordSink duplicate(int fd) {
  return fd < 0 ? RecordSink()
                : RecordSink(Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)));
}

// Returns the lines with control characters replaced. A newline at the end does
// not begin another line.
std::string clean_lines(std::string_view text) {
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  std::string lines;
  for (const std::string& line : split(text, '\n')) {
    lines += printable(line) + "\n";
  }
  return lines;
}

} // namespace

ConsoleOptions console_options_from_environment() {
  ConsoleOptions options;
  std::int64_t fd = -1;
  if (parse_int(environment_variable("VITRAIN_TERMINAL_FD"), fd) && fd >= 0 &&
      fd < 1 << 20 && ::fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC) == 0) {
    options.terminal_fd = static_cast<int>(fd);
  }
  return options;
}

Console::Console(const ConsoleOptions& options)
    : log_(duplicate(options.log_fd)),
      terminal_(duplicate(options.terminal_fd)),
      prefix_(options.prefix),
      has_log_(options.log_fd >= 0),
      has_terminal_(options.terminal_fd >= 0),
      live_possible_(
          !options.plain && terminal_ && prefix_.empty() &&
          ::isatty(terminal_.fd()) == 1 &&
          environment_variable("TERM") != "dumb"),
      wraps_(terminal_ && prefix_.empty() && ::isatty(terminal_.fd()) == 1),
      colour_(live_possible_ && environment_variable("NO_COLOR").empty()),
      unicode_(live_possible_ && utf8_locale()) {}

Console::~Console() {
  live("");
}

void Console::info(std::string_view text) {
  say(text, "", Tint::kFaint);
}

void Console::warn(std::string_view text) {
  say(text, "warning: ", Tint::kWarning);
}

void Console::error(std::string_view text) {
  say(text, "error: ", Tint::kError);
}

void Console::log(std::string_view text) {
  const std::string lines = clean_lines(text);
  const std::lock_guard lock(mutex_);
  if (has_log_) {
    log_.write(lines);
  }
}

void Console::print(
    const std::function<std::string(const TerminalStyle&)>& render) {
  const std::string plain = has_log_ ? whole(render(TerminalStyle{})) : "";
  const std::string styled = has_terminal_ ? whole(render(style())) : "";
  const std::lock_guard lock(mutex_);
  if (has_log_) {
    log_.write(plain);
  }
  to_terminal(styled);
}

void Console::show(
    const std::function<std::string(const TerminalStyle&)>& render) {
  const std::string styled = has_terminal_ ? whole(render(style())) : "";
  const std::lock_guard lock(mutex_);
  to_terminal(styled);
}

void Console::live(std::string_view text) {
  if (!live_possible_) {
    return;
  }
  // The last column is not used, because some terminals wrap at once.
  const std::string line = clip(text, style().columns - 1);
  const std::lock_guard lock(mutex_);
  if (line == live_ || !terminal_.flush()) {
    return;
  }
  live_ = line;
  terminal_.write(fmt::format("\r{}\x1b[K", line));
}

TerminalStyle Console::style() const {
  TerminalStyle style{.colour = colour_, .unicode = unicode_};
  std::int64_t columns = 0;
  if (const int width = terminal_ ? terminal_columns(terminal_.fd()) : 0) {
    style.columns = width;
  } else if (
      parse_int(environment_variable("COLUMNS"), columns) && columns < 10000) {
    style.columns = static_cast<int>(columns);
  }
  style.columns = std::max(style.columns, kNarrowest);
  return style;
}

std::int64_t Console::dropped() const {
  const std::lock_guard lock(mutex_);
  return log_.dropped() + terminal_.dropped();
}

std::string Console::problem() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> problems;
  const auto add = [&](const RecordSink& sink, std::string_view name) {
    const std::int64_t lines = sink.dropped();
    if (lines > 0) {
      problems.push_back(fmt::format(
          "{} line{} to {} dropped: {}",
          lines,
          lines == 1 ? "" : "s",
          name,
          sink.reason()));
    }
  };
  add(log_, "the log file");
  add(terminal_, "the terminal");
  return join(problems, "; ");
}

void Console::say(std::string_view text, std::string_view prefix, Tint tint) {
  const std::string lines = clean_lines(text);
  const std::lock_guard lock(mutex_);
  if (has_log_) {
    log_.write(fmt::format("{}{}", prefix, lines));
  }
  const TerminalStyle style = this->style();
  const std::string whole_text = fmt::format("{}{}", prefix, lines);
  const std::string shown =
      wraps_ ? wrap_message(whole_text, style.columns) : whole_text;
  // A long word after the prefix starts a new line.
  const std::string_view head =
      shown.starts_with(prefix) ? prefix : trim(prefix);
  to_terminal(tinted(head, tint, style) + shown.substr(head.size()));
}

void Console::to_terminal(const std::string& text) {
  if (!has_terminal_) {
    return;
  }
  if (!prefix_.empty()) {
    terminal_.write(prefixed(text, prefix_));
    return;
  }
  // Written at once, so that the live line neither flickers nor remains between
  // other lines.
  terminal_.write(
      live_.empty() ? text : fmt::format("{}{}{}", kErase, text, live_));
}

} // namespace vitrain::logging
