#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/load/writer.h"
#include "config/load_recipe.h"
#include "core/system/lock_file.h"
#include "data/load/samplers.h"
#include "data/sources/index.h"
#include "job/preprocess_record.h"
#include "job/run/job.h"
#include "job/run/request.h"
#include "job/run/run_directory.h"
#include "launch/devices/devices.h"
#include "launch/devices/open_files.h"
#include "launch/supervise/node_link.h"

namespace vitrain::job {

// A job, filled in and checked step by step: prepare() checks it as far as
// possible without starting it (recipe, weights, devices, datasets, checkpoint
// to resume, arithmetic, model, precision). That makes no torch calls.
struct PreparedJob {
  Job job;
  std::filesystem::path worker_program; // Request::worker_program
  std::vector<launch::DeviceSlot> devices; // devices of this machine
  int workers = 1; // number of the run's devices, on all machines
  int cores = 1; // CPU cores that this machine's workers share
  // Connection to the run's other machines; null for a single machine.
  std::unique_ptr<launch::NodeLink> link;
  config::Origins origins; // origins of the recipe's values, for messages
  // Empty: begin_job() throws if reading the recipe adds a problem. Kept for
  // the order of the recipe's sources, in which check_rules() lists problems.
  config::Problems problems;
  // Preprocessing record of the evaluated or initial weights, if they have one;
  // nullopt when resuming.
  std::optional<PreprocessRecord> record;
  std::unique_ptr<data::Index> train; // null when evaluating only
  std::unique_ptr<data::Index> eval;
  std::unique_ptr<const data::Samplers> samplers; // null when evaluating only
  // data::sample_names() of all samples that data.split holds out of the
  // training data, also of those that eval.subset leaves out; "" when
  // evaluating only.
  std::string held_out;
  // Notes to print before the start, one sentence each.
  std::vector<std::string> notes;
  // Differences between the recipe and the recipe of the run to resume.
  std::vector<config::Difference> changes;
  // True if the run to resume is complete.
  bool finished = false;
  // Lock on the run folder, held in training by the machine that decides.
  // `take_over`: takes the lock from a live process.
  std::unique_ptr<LockFile> lock;
  bool take_over = false;

  // True on node 0, and if there is only one machine.
  bool decides() const { return !link || link->node_rank() == 0; }
};

// Steps of prepare() that workers of another launcher run after they have
// connected (engine/run/join_job.h). Throw Error.
// - list_data() lists the datasets of the recipe.
// - resolve_resume() finds the checkpoint that -resume means. `resume` must not
//   be empty. Locks the run if `writes`. If "auto" finds no run, adds a note
//   and leaves job.run_directory empty; if it finds one without checkpoints,
//   leaves job.resume empty.
void list_data(PreparedJob& prepared);
void resolve_resume(
    PreparedJob& prepared,
    const std::string& resume,
    bool writes);
// Sets up the samplers to resume the checkpoint's partial epoch; adds a note if
// other workers began it. Does nothing if partial_epoch() is nullopt. Throws as
// partial_epoch(), and Error(kUsage) if resuming is impossible with the present
// workers.
void continue_epoch(PreparedJob& prepared, const config::Timeline& timeline);

// Throws Error(kUsage) with every rule that the recipe breaks with `workers`
// workers (config::kWorkersUnknown skips rules about their number).
// check_arithmetic() throws Error for problems that depend on the numbers of
// samples and classes, and for a checkpoint of another run; it sets `samplers`
// and `finished`, and adds notes.
void check_recipe(const PreparedJob& prepared, std::int64_t workers);
void check_arithmetic(PreparedJob& prepared);

// Returns a job with the recipe, mode and descriptions of a request. Throws
// Error(kUsage) if the recipe cannot be read, or if an evaluation has no
// model.pretrained.
PreparedJob begin_job(const Request& request);

// Finds the weights of model.pretrained and applies their record (use_record).
// Does nothing without model.pretrained, or if `resumes`, because the resumed
// run has done so. Throws Error(kUsage), Error(kWeights).
void find_pretrained(PreparedJob& prepared, bool resumes);

// Creates a run folder, sets job.run_directory and, for training, locks it.
void make_run_directory(PreparedJob& prepared);

// Writes the names of the samples held out by data.split, if any, to the run
// folder, because the run's weights may only be evaluated on these. Called on
// node 0.
void write_held_out(const PreparedJob& prepared);

// Locks a run folder for the lifetime of `prepared` and checks that it is
// writable. Waits (with a line on stderr) and throws as LockFile.
void lock_run(PreparedJob& prepared, const RunDirectory& run);

// Prepares a request: checks all, and connects to the run's other machines.
// Writes nothing to disk except the lock of a run to resume (none with
// dry_run). Throws Error with all problems of the recipe.
PreparedJob prepare(const Request& request);

} // namespace vitrain::job
