#include "launch/supervise/supervise.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "core/check.h"
#include "core/text.h"
#include "launch/devices/cgroup.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/signal_queue.h"
#include "launch/processes/signals.h"
#include "launch/supervise/failure.h"
#include "launch/supervise/worker_log.h"
#include "launch/supervise/worker_processes.h"

namespace vitrain::launch {
namespace {

// Interval of checks of time limits; signals and ends of workers wake at once.
constexpr double kTickSeconds = 0.1;
// A longer loop iteration means that this process was suspended (SIGSTOP, a
// frozen container, a laptop lid), and the workers too: silence before that
// does not count.
constexpr double kSuspendedSeconds = 2;
// A process that SIGKILL does not end within this time hangs in the kernel.
constexpr double kUnkillableSeconds = 10;
// Grace period after a worker that is stopped or hangs, for which the other
// workers have waited.
constexpr double kGraceAfterStopped = 0.5;
// After a stop request during set-up: seconds until the workers are ended
// (earlier if one of them has ended), and from then until the remaining ones
// are killed.
constexpr double kSetupEndSeconds = 1.2;
constexpr double kGraceInSetup = 0.3;

// One attempt of the workers of a machine.
class Supervision {
 public:
  explicit Supervision(SupervisorOptions options)
      : options_(std::move(options)),
        cgroup_(options_.system_root),
        workers_(options_),
        oom_kills_(cgroup_.oom_kills()) {}

  SuperviseResult run();

 private:
  void on_signal(int number, double now);
  void on_end(int rank, double now);
  bool in_setup() const;
  bool ended_by_request(const WorkerProcess& member) const;
  void stop_in_setup(double now);
  void look_at_nodes(double now);
  void wait_for_nodes(SignalQueue& signals);
  void check_stopped(double now);
  void check_progress(double now);
  void blame(Failure failure, double grace);
  void enforce(double now);
  void kill_all(double now);
  std::string end_hint(const ExitStatus& exit_status) const;
  std::string report() const;
  SuperviseResult conclude();

  const SupervisorOptions options_;
  Cgroup cgroup_;
  WorkerProcesses workers_;
  std::optional<std::int64_t> oom_kills_; // number at the start of this attempt
  logging::StreamOutput output_{STDOUT_FILENO};
  LogTee tee_{output_};
  double last_look_ = 0;
  double resumed_at_ = 0; // end of a suspension of all processes
  int stop_signal_ = 0; // the stop signal that was forwarded to the workers
  double stop_time_ = 0;
  int killed_by_ = 0; // the second stop signal
  // The stop signal ends the run without saving (in set-up, or evaluation).
  bool nothing_to_save_ = false;
  std::optional<Failure> failure_;
  std::vector<Failure> suspects_; // perhaps consequences; in the order seen
  std::optional<NodeFailure> elsewhere_; // failure on another node
  std::vector<Failure> also_; // failures after failure_
  double kill_time_ = 0; // when SIGKILL is due; 0: not scheduled
  double killed_at_ = 0; // when SIGKILL was sent; 0: not sent
};

SuperviseResult Supervision::run() {
  SignalQueue signals;
  workers_.start();
  if (options_.show_all_ranks) {
    for (const WorkerProcess& member : workers_.members()) {
      tee_.add(member.rank, member.log, member.log_start);
    }
  }
  last_look_ = monotonic_seconds();
  // The cause of a suspect may be on another machine, whose report follows.
  while (workers_.alive() > 0 ||
         (!suspects_.empty() && options_.nodes != nullptr)) {
    const std::vector<int> arrived = signals.wait(kTickSeconds);
    const double now = monotonic_seconds();
    if (now - last_look_ > kSuspendedSeconds) {
      resumed_at_ = now;
    }
    last_look_ = now;
    for (const int number : arrived) {
      on_signal(number, now);
    }
    for (const int rank : workers_.reap()) {
      on_end(rank, now);
    }
    look_at_nodes(now);
    if (!failure_ && !elsewhere_ && !nothing_to_save_ && killed_at_ == 0) {
      check_stopped(now);
      check_progress(now);
    }
    const bool nobody_left = workers_.alive() == 0 && options_.nodes == nullptr;
    if (!suspects_.empty() && !failure_ &&
        (nobody_left ||
         now - suspects_.front().time > options_.blame_seconds)) {
      blame(take_first_to_fail(suspects_), options_.grace_seconds);
    }
    enforce(now);
    tee_.copy(/*last=*/false);
    output_.flush();
    logging::standard_error().flush();
    if (killed_at_ > 0 && now - killed_at_ > kUnkillableSeconds) {
      break;
    }
  }
  tee_.copy(/*last=*/true);
  wait_for_nodes(signals);
  return conclude();
}

void Supervision::on_signal(int number, double now) {
  if (failure_ || elsewhere_) {
    kill_all(now); // the run ends anyway: do not wait for the grace period
    return;
  }
  if (stop_signal_ == 0) {
    stop_signal_ = number;
    stop_time_ = now;
    workers_.signal_all(passed_on(number));
    options_.notice(fmt::format(
        "{}: {}",
        signal_name(number),
        options_.saves && !in_setup()
            ? "the workers save and stop; a second signal ends them at once"
            : "the workers end; there is nothing to save"));
  } else if (now - stop_time_ > kSameRequestSeconds && killed_at_ == 0) {
    killed_by_ = number;
    kill_all(now);
  }
}

// Returns true if a running worker is still in set-up.
bool Supervision::in_setup() const {
  return std::ranges::any_of(
      workers_.members(), [&](const WorkerProcess& member) {
        return !member.exit_status &&
            workers_.progress(member.rank).phase == RunPhase::kSetup;
      });
}

bool Supervision::ended_by_request(const WorkerProcess& member) const {
  return stop_signal_ != 0 && !member.exit_status->signalled &&
      member.exit_status->value == 128 + passed_on(stop_signal_);
}

// Ends all workers, which have nothing to save and may wait for each other.
void Supervision::stop_in_setup(double now) {
  if (!nothing_to_save_) {
    nothing_to_save_ = true;
    workers_.end_all();
    kill_time_ = now + kGraceInSetup;
  }
}

void Supervision::on_end(int rank, double now) {
  if (elsewhere_ || killed_at_ > 0 || nothing_to_save_) {
    return; // a consequence of ending the run
  }
  const WorkerProcess& member = workers_.member(rank);
  if (ended_by_request(member)) {
    stop_in_setup(now);
    return;
  }
  const auto progress = workers_.progress(rank);
  const ExitStatus exit_status = *member.exit_status;
  const Verdict verdict = judge(exit_status, progress);
  const bool obeyed = failure_ && exit_status.value % 128 == SIGTERM;
  if (verdict == Verdict::kClean || obeyed) {
    return;
  }
  Failure failure{
      .rank = rank,
      .exit_code = run_exit_code(exit_status),
      .cause = exit_status.text() + " " + where_exactly(progress),
      .kind = exit_status.text() + " " + where(progress),
      .hint = end_hint(exit_status),
      .time = now,
      .failed = progress.failed > 0 ? progress.failed : now};
  if (!exit_status.signalled && exit_status.value == 0) {
    failure.cause += ", before its work was finished";
  }
  if (failure_) {
    also_.push_back(std::move(failure));
  } else if (verdict == Verdict::kFailed) {
    blame(std::move(failure), options_.grace_seconds);
  } else {
    suspects_.push_back(std::move(failure));
  }
}

std::string Supervision::end_hint(const ExitStatus& exit_status) const {
  if (!exit_status.signalled || exit_status.value != SIGKILL || !oom_kills_) {
    return "";
  }
  const std::int64_t kills = cgroup_.oom_kills().value_or(0) - *oom_kills_;
  if (kills <= 0) {
    return "";
  }
  return fmt::format(
      "The kernel killed {} process{} of this control group for lack of memory "
      "during the run: use a smaller batch, fewer workers or data threads, or "
      "raise the memory limit.\n",
      kills,
      kills == 1 ? "" : "es");
}

// Handles failures on other machines, which end the run here too.
void Supervision::look_at_nodes(double now) {
  if (options_.nodes == nullptr) {
    return;
  }
  const std::optional<NodeFailure> news = options_.nodes->poll();
  if (!news || failure_ || elsewhere_ || killed_at_ > 0) {
    return;
  }
  elsewhere_ = news;
  suspects_.clear();
  if (workers_.alive() > 0) {
    options_.notice(fmt::format(
        "{} failed; stopping the workers here",
        options_.nodes->name_of(news->node)));
  }
  workers_.end_all();
  kill_time_ = now + options_.grace_seconds;
}

// After this machine's workers have ended: reports an end by the user to the
// other machines; after success waits for them, at most timeouts.shutdown.
void Supervision::wait_for_nodes(SignalQueue& signals) {
  if (options_.nodes == nullptr) {
    return;
  }
  if (killed_by_ != 0) {
    options_.nodes->fail_all(
        static_cast<int>(ExitCode::kWorkerDied),
        "ended at once by a second stop signal");
    return;
  }
  if (nothing_to_save_) {
    options_.nodes->fail_all(
        128 + stop_signal_,
        fmt::format("ended by {} in set-up", signal_name(stop_signal_)));
    return;
  }
  if (failure_ || elsewhere_) {
    return;
  }
  options_.nodes->finish();
  const double end = monotonic_seconds() + options_.timeouts.shutdown;
  while (!elsewhere_ && !options_.nodes->all_finished() &&
         monotonic_seconds() < end) {
    look_at_nodes(monotonic_seconds());
    if (!options_.nodes->all_finished() &&
        !signals.wait(kTickSeconds).empty()) {
      return; // a stop signal: the user does not want to wait
    }
  }
}

void Supervision::check_stopped(double now) {
  for (const WorkerProcess& member : workers_.members()) {
    if (!member.stopped_since) {
      continue;
    }
    const double since = std::max(*member.stopped_since, resumed_at_);
    if (now - since >= options_.stopped_seconds) {
      blame(
          {.rank = member.rank,
           .exit_code = static_cast<int>(ExitCode::kWorkerDied),
           .cause = fmt::format(
               "was stopped by signal {} ({}) {} and not continued for {:.0f} "
               "s",
               member.stopped_by,
               signal_name(member.stopped_by),
               where_exactly(workers_.progress(member.rank)),
               now - since),
           .kind = "was stopped " + where(workers_.progress(member.rank)),
           .hint = {},
           .time = now,
           .failed = 0},
          std::min(kGraceAfterStopped, options_.grace_seconds));
      return;
    }
  }
}

void Supervision::check_progress(double now) {
  std::vector<HeartbeatAge> running;
  // The other workers waited for a worker that was stopped and continued.
  double waited_until = resumed_at_;
  for (const WorkerProcess& member : workers_.members()) {
    waited_until = std::max(waited_until, member.continued_at);
  }
  for (const WorkerProcess& member : workers_.members()) {
    if (!member.exit_status) {
      const auto progress = workers_.progress(member.rank);
      double limit = options_.timeouts.of(progress.phase);
      if (member.stopped_since && limit > 0) {
        // check_stopped() has its own limit for this worker, for which the
        // other workers wait.
        limit = std::numeric_limits<double>::infinity();
      }
      running.push_back(
          {.rank = member.rank,
           .step = progress.step,
           .seconds = now - std::max(progress.last_beat, waited_until),
           .limit = limit,
           .waits = progress.waits,
           .collectives = progress.collectives});
    }
  }
  const std::optional<HeartbeatAge> stuck = find_stalled(running);
  if (!stuck) {
    return;
  }
  std::string hint = progress_table(workers_, now);
  if (stuck->waits && workers_.members().size() > 1) {
    hint += "All that are silent wait for others: is their network cut?\n";
  }
  if (workers_.write_stacks(stuck->rank)) {
    hint += "Its log has the stacks of its threads.\n";
  }
  blame(
      {.rank = stuck->rank,
       .exit_code = static_cast<int>(ExitCode::kWorkerDied),
       .cause = fmt::format(
           "made no progress for {:.0f} s {} (limit {:g} s)",
           stuck->seconds,
           where_exactly(workers_.progress(stuck->rank)),
           stuck->limit),
       .kind = "made no progress " + where(workers_.progress(stuck->rank)),
       .hint = std::move(hint),
       .time = now,
       .failed = 0},
      std::min(kGraceAfterStopped, options_.grace_seconds));
}

void Supervision::blame(Failure failure, double grace) {
  if (failure_) {
    return;
  }
  failure_ = std::move(failure);
  also_ = std::exchange(suspects_, {});
  if (options_.nodes != nullptr) {
    // Include the worker's own message: only this machine has its log.
    options_.nodes->fail_all(failure_->exit_code, std::string(trim(report())));
  }
  // The details are in the report, which is printed after all workers have
  // ended.
  if (workers_.alive() > 0) {
    options_.notice(fmt::format(
        "{} failed; stopping the others",
        workers_.member(failure_->rank).label()));
  }
  workers_.end_all();
  kill_time_ = monotonic_seconds() + grace;
}

void Supervision::enforce(double now) {
  if (stop_signal_ != 0 && !nothing_to_save_ && !failure_ && !elsewhere_ &&
      now - stop_time_ > kSetupEndSeconds && in_setup()) {
    stop_in_setup(now);
  }
  if (kill_time_ > 0 && now >= kill_time_ && killed_at_ == 0) {
    kill_all(now);
  }
}

void Supervision::kill_all(double now) {
  if (killed_at_ == 0) {
    workers_.kill_all();
    killed_at_ = now;
  }
}

std::string Supervision::report() const {
  return failure_report(workers_, *failure_, also_, options_.log_lines);
}

SuperviseResult Supervision::conclude() {
  SuperviseResult outcome;
  bool stopped = false;
  for (const WorkerProcess& member : workers_.members()) {
    outcome.step = std::max(outcome.step, workers_.progress(member.rank).step);
    if (!member.exit_status) {
      outcome.report += fmt::format(
          "{} does not end after SIGKILL: it hangs in the kernel (a dead file "
          "system or device?).\n",
          member.label());
    } else {
      stopped |= !member.exit_status->signalled &&
          member.exit_status->value == static_cast<int>(ExitCode::kStopped);
    }
  }
  if (killed_by_ != 0) {
    outcome.exit_code = 128 + killed_by_;
    outcome.report += fmt::format(
        "ended at once by a second signal ({}); the last complete checkpoint "
        "is what was saved before.\n",
        signal_name(killed_by_));
  } else if (nothing_to_save_) {
    outcome.exit_code = 128 + stop_signal_;
    outcome.stopped_in_setup = true;
  } else if (elsewhere_) {
    outcome.exit_code = elsewhere_->exit_code;
    outcome.report += fmt::format(
        "{}: {}\n",
        options_.nodes->name_of(elsewhere_->node),
        elsewhere_->text);
  } else if (failure_) {
    outcome.exit_code = failure_->exit_code;
    outcome.failed_rank = failure_->rank;
    outcome.failure = failure_->kind;
    outcome.reason = short_reason(
        *failure_, workers_.member(failure_->rank).stated_reason(/*lines=*/1));
    outcome.failed_in_setup =
        workers_.progress(failure_->rank).phase == RunPhase::kSetup;
    outcome.report = report() + outcome.report;
  } else {
    outcome.exit_code =
        static_cast<int>(stopped ? ExitCode::kStopped : ExitCode::kDone);
  }
  return outcome;
}

} // namespace

SuperviseResult supervise(SupervisorOptions options) {
  VITRAIN_CHECK(
      !options.devices.empty(),
      ExitCode::kInternal,
      "a run needs at least one worker");
  open_missing_standard_streams();
  ignore_output_signals();
  return Supervision(std::move(options)).run();
}

} // namespace vitrain::launch
