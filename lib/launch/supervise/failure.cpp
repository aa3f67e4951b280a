#include "launch/supervise/failure.h"

#include <fmt/format.h>

#include "core/text.h"
#include "launch/supervise/worker_processes.h"

namespace vitrain::launch {
namespace {

// Returns how a worker failed, and at most `lines` lines of its log.
std::string
report_of(const WorkerProcesses& workers, const Failure& failure, int lines) {
  const WorkerProcess& member = workers.member(failure.rank);
  const std::string name = printable(member.log.native());
  const std::string reason = member.stated_reason(lines);
  if (!reason.empty()) {
    return fmt::format(
        "{} {}:\n{}{}Its log is {}.\n",
        member.label(),
        failure.cause,
        reason,
        failure.hint,
        name);
  }
  const std::string last =
      last_lines(member.log, member.log_start, lines, member.log_end);
  return fmt::format(
             "{} {}.\n{}", member.label(), failure.cause, failure.hint) +
      (last.empty() ? fmt::format("It wrote nothing to {}.\n", name)
                    : fmt::format("The last lines of {}:\n{}", name, last));
}

} // namespace

std::string short_reason(const Failure& failure, const std::string& stated) {
  if (stated.empty()) {
    return fmt::format(
        "rank {} {}", failure.rank, without_prefix(failure.cause, "was "));
  }
  const std::string line =
      without_prefix(trim(stated.substr(0, stated.find('\n'))), "| ");
  return fmt::format(
      "rank {}: {}", failure.rank, without_prefix(line, "error: "));
}

std::string failure_report(
    const WorkerProcesses& workers,
    const Failure& first,
    const std::vector<Failure>& others,
    int lines) {
  constexpr std::size_t kMostOthers = 16;
  constexpr int kLinesOfOthers = 5;
  std::string text = report_of(workers, first, lines);
  const std::string reason =
      workers.member(first.rank).stated_reason(kLinesOfOthers);
  for (std::size_t i = 0; i < std::min(others.size(), kMostOthers); ++i) {
    const WorkerProcess& other = workers.member(others[i].rank);
    text += "Also " +
        (!reason.empty() && other.stated_reason(kLinesOfOthers) == reason
             ? fmt::format(
                   "{} {}, for the same reason.\n",
                   other.label(),
                   others[i].cause)
             : report_of(workers, others[i], kLinesOfOthers));
  }
  return text;
}

std::string progress_table(const WorkerProcesses& workers, double now) {
  constexpr int kMaxLines = 16;
  std::string text = "Progress of the workers:\n";
  int lines = 0;
  for (const WorkerProcess& member : workers.members()) {
    if (++lines > kMaxLines) {
      return text + "  ...\n";
    }
    const auto progress = workers.progress(member.rank);
    text += fmt::format(
        "  rank {}: {}, last sign of life {:.1f} s ago\n",
        member.rank,
        member.exit_status ? member.exit_status->text()
                           : where_exactly(progress),
        now - progress.last_beat);
  }
  return text;
}

} // namespace vitrain::launch
