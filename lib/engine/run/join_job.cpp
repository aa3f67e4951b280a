#include "engine/run/join_job.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "core/check.h"
#include "core/json.h"
#include "core/text.h"
#include "dist/group/collectives.h"
#include "job/prepared_job.h"
#include "job/resolve_devices.h"
#include "job/run/leftovers.h"
#include "job/run/resume_advice.h"
#include "job/run/run_directory.h"
#include "job/run_decision.h"
#include "launch/devices/cores.h"
#include "launch/processes/descriptors.h"
#include "launch/supervise/worker_log.h"
#include "logging/stream_output.h"

namespace vitrain::engine {
namespace {

// Runs `body` on this rank; if it throws on any rank, all ranks throw that
// error. Collective.
template <typename Body>
void together(dist::Group& control, Body&& body) {
  Json outcome{{"code", 0}, {"text", ""}};
  try {
    body();
  } catch (const std::exception& error) {
    outcome = {
        {"code", static_cast<int>(exit_code_of(error))},
        {"text", valid_utf8(error.what())}};
  }
  const auto outcomes = dist::all_gather(control, outcome);
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    const int code = outcomes[rank].at("code");
    const std::string text = outcomes[rank].at("text");
    VITRAIN_CHECK(
        code == 0,
        static_cast<ExitCode>(code),
        "{}{}",
        static_cast<int>(rank) == control.rank()
            ? ""
            : fmt::format("rank {}: ", rank),
        text);
  }
}

// Facts that every worker sends to all others first.
struct Peers {
  std::vector<Json> all; // one per rank
  std::vector<int> here; // ranks on this machine, ascending
};

Peers introduce(const job::Job& job, int local_world, dist::Group& control) {
  Peers peers;
  const LockHolder self = this_process();
  const Json own{// Processes with equal text see each other in /proc.
                 {"machine", self.boot + " " + self.pid_space},
                 {"pid", ::getpid()},
                 {"cpus", launch::affinity_cpus()},
                 {"local_world", local_world},
                 {"device", job.joining.device},
                 {"device_id", job.joining.device_id}};
  peers.all = dist::all_gather(control, own);
  for (std::size_t rank = 0; rank < peers.all.size(); ++rank) {
    if (peers.all[rank].at("machine") == own.at("machine")) {
      peers.here.push_back(static_cast<int>(rank));
    }
  }
  return peers;
}

// Throws Error(kUsage) if dist.sync.group_size is auto and machines have
// different numbers of workers: all groups must have the same size.
void check_equal_machines(const job::Job& job, const Peers& peers) {
  if (!job::needs_equal_machines(job.recipe)) {
    return;
  }
  for (std::size_t rank = 1; rank < peers.all.size(); ++rank) {
    VITRAIN_CHECK(
        peers.all[rank].at("local_world") == peers.all[0].at("local_world"),
        ExitCode::kUsage,
        "dist.sync.group_size: auto is the number of workers of a machine, and "
        "rank 0 is one of {}, rank {} of {}: set a number",
        peers.all[0].at("local_world").get<int>(),
        rank,
        peers.all[rank].at("local_world").get<int>());
  }
}

void check_devices(const job::Job& job, const Peers& peers) {
  if (!job.uses_nccl()) {
    return;
  }
  for (std::size_t a = 0; a < peers.all.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const std::string id = peers.all[a].at("device_id");
      VITRAIN_CHECK(
          id.empty() || id != peers.all[b].at("device_id"),
          ExitCode::kUsage,
          "ranks {} and {} are both on {} ({}): start one worker per device, "
          "or set dist.backend: gloo",
          b,
          a,
          peers.all[a].at("device").get<std::string>(),
          id);
    }
  }
}

void share_cores(job::PreparedJob& prepared, const Peers& peers, int rank) {
  job::Job& job = prepared.job;
  std::vector<std::vector<int>> masks;
  std::size_t own = 0;
  for (const int other : peers.here) {
    own = other == rank ? masks.size() : own;
    masks.push_back(peers.all[static_cast<std::size_t>(other)]
                        .at("cpus")
                        .get<std::vector<int>>());
  }
  const launch::SharedCores cores = launch::share_cores(masks);
  if (auto crowded =
          launch::crowding_note(static_cast<int>(masks.size()), cores.all)) {
    prepared.notes.push_back(*std::move(crowded));
  }
  job.cores_per_worker = cores.each[own];
  if (job.threads == 0) {
    job.threads = job.cores_per_worker;
  }
}

// Opens the index that a peer process on this machine holds open as `fd`.
Fd open_of_peer(pid_t pid, int fd) {
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, fd);
  Fd opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  VITRAIN_CHECK(
      opened,
      ExitCode::kInternal,
      "{}: cannot be opened: {}. The workers of a machine share the index of "
      "the dataset this way: they have to run as one user",
      path,
      error_text(errno));
  return opened;
}

// The lowest rank of each machine lists the datasets; the machine's other ranks
// map its indexes.
void share_data(
    JoinedJob& joined,
    job::PreparedJob& prepared,
    const Peers& peers,
    dist::Group& control) {
  const int leader = peers.here.front();
  Json own{{"train", -1}, {"eval", -1}};
  together(control, [&] {
    if (control.rank() != leader) {
      return;
    }
    if (prepared.job.mode == job::JobMode::kEval) {
      prepared.record = job::pretrained_record(prepared.job.recipe.model);
    }
    job::list_data(prepared);
    if (prepared.train) {
      joined.train_index =
          launch::make_memfd("train-index", prepared.train->bytes());
    }
    joined.eval_index =
        launch::make_memfd("eval-index", prepared.eval->bytes());
    own = {
        {"train", joined.train_index.get()}, {"eval", joined.eval_index.get()}};
  });
  const auto fds = dist::all_gather(control, own);
  together(control, [&] {
    const auto place = static_cast<std::size_t>(leader);
    const pid_t pid = peers.all[place].at("pid");
    if (control.rank() == leader) {
      return;
    }
    if (fds[place].at("train") != -1) {
      joined.train_index = open_of_peer(pid, fds[place].at("train"));
    }
    joined.eval_index = open_of_peer(pid, fds[place].at("eval"));
  });
  prepared.job.train_index_fd = joined.train_index.get();
  prepared.job.eval_index_fd = joined.eval_index.get();
}

// Rank 0 finds the checkpoint to continue from, or makes a run folder, and
// sends its decision to all ranks.
void decide(
    JoinedJob& joined,
    job::PreparedJob& prepared,
    dist::Group& control) {
  job::Job& job = prepared.job;
  job::RunDecision decision;
  together(control, [&] {
    if (control.rank() != 0) {
      return;
    }
    if (!job.joining.resume.empty()) {
      job::resolve_resume(prepared, job.joining.resume, /*writes=*/true);
    }
    job::check_arithmetic(prepared);
    if (job.run_directory.empty()) {
      job::make_run_directory(prepared);
    }
    if (!prepared.finished) {
      job::write_held_out(prepared);
    }
    decision = job::decision_of(prepared);
  });
  job::adopt(
      dist::all_gather(control, Json(decision)).front(), "rank 0", prepared);
  joined.finished = prepared.finished;
}

void open_log(
    JoinedJob& joined,
    const job::Job& job,
    const launch::WorkerContext& context,
    dist::Group& control) {
  together(control, [&] {
    const std::filesystem::path folder =
        job::log_folder(job.recipe, {job.run_directory});
    make_folders(folder);
    joined.log = launch::open_worker_log(
                     folder / fmt::format("workerlog.{}", context.rank),
                     {.rank = context.rank,
                      .world_size = context.world_size,
                      .device = job.joining.device,
                      .started_by = context.launcher,
                      .restarts = job.restarts})
                     .file;
  });
  joined.console = logging::console_options_from_environment();
  joined.console.log_fd = joined.log.get();
  // Open MPI gives its workers a pseudo-terminal whose output may go to a file.
  joined.console.plain =
      job.recipe.log.progress != config::ProgressKind::kLine &&
      ::tcgetsid(STDOUT_FILENO) == -1;
  if (job.recipe.log.ranks == config::LogRanks::kAll) {
    joined.console.terminal_fd = STDOUT_FILENO;
    joined.console.prefix = fmt::format("[rank {}] ", context.rank);
  }
}

} // namespace

JoinedJob join_job(
    job::Job& job,
    const launch::WorkerContext& context,
    dist::Group& control) {
  JoinedJob joined;
  job::PreparedJob prepared;
  prepared.job = job;
  prepared.take_over = job.joining.take_over;
  for (const std::string& key : job.joining.own_keys) {
    prepared.origins[key] = {"the recipe", 0, 0, config::Origin::kSet};
  }
  prepared.workers = context.world_size;
  const Peers peers = introduce(job, context.local_world_size, control);
  check_equal_machines(job, peers);
  check_devices(job, peers);
  share_cores(prepared, peers, context.rank);
  share_data(joined, prepared, peers, control);
  decide(joined, prepared, control);
  std::vector<std::string> labels;
  for (const Json& peer : peers.all) {
    labels.push_back(peer.at("device"));
  }
  prepared.job.device_text = fmt::format(
      "{}, started by {}",
      job::describe_devices(labels, job.cuda, prepared.job.threads),
      context.launcher);
  job = prepared.job;
  joined.lock = std::move(prepared.lock);
  if (context.rank == 0) {
    for (const std::string& note : prepared.notes) {
      logging::standard_error().message(note + "\n");
    }
    if (joined.finished) {
      job::remove_leftovers(job.run());
      logging::standard_error().message(job::finished_text(job) + "\n");
    }
  }
  if (!joined.finished) {
    open_log(joined, job, context, control);
  }
  return joined;
}

} // namespace vitrain::engine
