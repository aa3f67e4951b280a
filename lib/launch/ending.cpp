#include "launch/ending.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "launch/signals.h"

namespace vitrain::launch {
namespace {

constexpr int kStopped = static_cast<int>(ExitCode::kStopped);
constexpr int kWorkerDied = static_cast<int>(ExitCode::kWorkerDied);

bool is_defined(int code) {
  return (code >= 0 && code <= 8) || code == kStopped;
}

} // namespace

std::string Ending::text() const {
  if (signalled) {
    return fmt::format(
        "was killed by signal {} ({})", value, signal_name(value));
  }
  return is_defined(value) ? fmt::format(
                                 "ended with exit code {} ({})",
                                 value,
                                 exit_code_name(static_cast<ExitCode>(value)))
                           : fmt::format("ended with exit code {}", value);
}

Verdict judge(const Ending& ending, bool done) {
  if (ending.signalled) {
    // NCCL's watchdog aborts the process when a peer is gone.
    return ending.value == SIGABRT ? Verdict::kPerhapsConsequence
                                   : Verdict::kFailed;
  }
  if (ending.value == 0) {
    return done ? Verdict::kClean : Verdict::kFailed;
  }
  if (ending.value == kStopped) {
    return Verdict::kClean;
  }
  return ending.value == kWorkerDied ? Verdict::kPerhapsConsequence
                                     : Verdict::kFailed;
}

int run_exit_code(const Ending& ending) {
  const bool own = !ending.signalled && ending.value != 0 &&
      ending.value != kStopped && is_defined(ending.value);
  return own ? ending.value : kWorkerDied;
}

std::string where(const HeartbeatBlock::Progress& progress) {
  switch (progress.section) {
    case Section::kSetup:
      return "in set-up";
    case Section::kStep:
      // Finished steps are counted, so the one under way is the next.
      return fmt::format(
          "in step {}", std::max<std::int64_t>(progress.step, 0) + 1);
    case Section::kDone:
      return "in shutdown";
    case Section::kEval:
    case Section::kCheckpoint:
      break;
  }
  return fmt::format(
      "in {} after step {}",
      section_name(progress.section),
      std::max<std::int64_t>(progress.step, 0));
}

std::string
last_lines(const std::filesystem::path& log, off_t start, int lines) {
  constexpr off_t kMaxBytes = 16 << 10;
  const Fd fd(::open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size <= start) {
    return "";
  }
  const off_t from = std::max(start, status.st_size - kMaxBytes);
  std::string bytes(static_cast<std::size_t>(status.st_size - from), '\0');
  const ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), from);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (!bytes.empty() && (bytes.back() == '\n' || bytes.back() == '\r')) {
    bytes.pop_back();
  }
  if (bytes.empty()) {
    return "";
  }
  const std::vector<std::string> all = split(bytes, '\n');
  const std::size_t count =
      std::min(all.size(), static_cast<std::size_t>(std::max(lines, 0)));
  std::string text;
  for (std::size_t i = all.size() - count; i < all.size(); ++i) {
    text += "  | " + printable(trim(all[i])) + "\n";
  }
  return text;
}

} // namespace vitrain::launch
