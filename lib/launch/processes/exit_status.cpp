#include "launch/processes/exit_status.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "launch/processes/signals.h"

namespace vitrain::launch {
namespace {

constexpr int kStopped = static_cast<int>(ExitCode::kStopped);
constexpr int kWorkerDied = static_cast<int>(ExitCode::kWorkerDied);

bool is_defined(int code) {
  return (code >= 0 && code <= 8) || code == kStopped;
}

} // namespace

std::string ExitStatus::text() const {
  if (signalled) {
    return fmt::format(
        "was killed by signal {} ({})", value, signal_name(value));
  }
  return is_defined(value) ? fmt::format(
                                 "ended with exit code {} ({})",
                                 value,
                                 name_of(static_cast<ExitCode>(value)))
                           : fmt::format("ended with exit code {}", value);
}

Verdict judge(
    const ExitStatus& ending,
    const HeartbeatBlock::Progress& progress) {
  if (ending.signalled) {
    // If a peer is gone, NCCL's watchdog throws an exception that ends the
    // process.
    return ending.value == SIGABRT && progress.failed > 0
        ? Verdict::kPerhapsConsequence
        : Verdict::kFailed;
  }
  if (ending.value == 0) {
    return progress.phase == RunPhase::kDone ? Verdict::kClean
                                             : Verdict::kFailed;
  }
  if (ending.value == kStopped) {
    return Verdict::kClean;
  }
  return ending.value == kWorkerDied ? Verdict::kPerhapsConsequence
                                     : Verdict::kFailed;
}

int run_exit_code(const ExitStatus& ending) {
  const bool own = !ending.signalled && ending.value != 0 &&
      ending.value != kStopped && is_defined(ending.value);
  return own ? ending.value : kWorkerDied;
}

std::string where(const HeartbeatBlock::Progress& progress) {
  switch (progress.phase) {
    case RunPhase::kSetup:
      return "in set-up";
    case RunPhase::kStep:
      // `step` counts finished steps, so the current one is the next.
      return fmt::format(
          "in step {}",
          with_commas(std::max<std::int64_t>(progress.step, 0) + 1));
    case RunPhase::kDone:
      return "in shutdown";
    case RunPhase::kEval:
    case RunPhase::kCheckpoint:
      break;
  }
  return fmt::format(
      "in {} after step {}",
      name_of(progress.phase),
      with_commas(std::max<std::int64_t>(progress.step, 0)));
}

std::string where_exactly(const HeartbeatBlock::Progress& progress) {
  return progress.part.empty()
      ? where(progress)
      : fmt::format("{} ({})", where(progress), printable(progress.part));
}

namespace {

// Returns the lines in the last 16 KiB of a log between the offsets `start` and
// `end` (-1: its end), without empty lines at their end; empty if there are
// none.
std::vector<std::string>
tail_of(const std::filesystem::path& log, off_t start, off_t end = -1) {
  constexpr off_t kMaxBytes = 16 << 10;
  const Fd fd(::open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size <= start) {
    return {};
  }
  const off_t to = end < 0 ? status.st_size : std::min(end, status.st_size);
  const off_t from = std::max(start, to - kMaxBytes);
  std::string bytes(
      static_cast<std::size_t>(std::max<off_t>(to - from, 0)), '\0');
  const ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), from);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (!bytes.empty() && (bytes.back() == '\n' || bytes.back() == '\r')) {
    bytes.pop_back();
  }
  return bytes.empty() ? std::vector<std::string>{} : split(bytes, '\n');
}

// Returns the index of the first line after the last banner, a rule and then
// indented sections separated by empty lines (logging/banner.h); 0 if there is
// none.
std::size_t behind_banner(const std::vector<std::string>& lines) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const bool rule = lines[i].size() > 3 &&
        lines[i].find_first_not_of('-') == std::string::npos;
    if (rule) {
      begin = i + 1;
      while (begin < lines.size() &&
             (lines[begin].empty() || lines[begin].starts_with("  "))) {
        ++begin;
      }
    }
  }
  return begin;
}

std::string shown(const std::vector<std::string>& lines, std::size_t begin) {
  std::string text;
  for (std::size_t i = begin; i < lines.size(); ++i) {
    text += "  | " + printable(trim(lines[i])) + "\n";
  }
  return text;
}

} // namespace

std::string last_lines(
    const std::filesystem::path& log,
    off_t start,
    int lines,
    off_t end) {
  const std::vector<std::string> all = tail_of(log, start, end);
  const std::size_t count =
      std::min(all.size(), static_cast<std::size_t>(std::max(lines, 0)));
  return shown(all, std::max(all.size() - count, behind_banner(all)));
}

std::string
stated_reason(const std::filesystem::path& log, off_t start, int lines) {
  std::vector<std::string> all = tail_of(log, start);
  for (std::size_t i = all.size(); i > 0; --i) {
    if (all[i - 1].starts_with("error: ")) {
      const std::size_t end =
          i - 1 + static_cast<std::size_t>(std::max(lines, 1));
      all.resize(std::min(all.size(), end));
      return shown(all, i - 1);
    }
  }
  return "";
}

} // namespace vitrain::launch
