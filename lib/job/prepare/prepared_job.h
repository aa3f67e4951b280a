#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/load/load_recipe.h"
#include "config/schema/writer.h"
#include "core/files/lock_file.h"
#include "data/order/samplers.h"
#include "data/sources/index.h"
#include "job/job.h"
#include "job/prepare/preprocess_record.h"
#include "job/request.h"
#include "job/run/run_directory.h"
#include "launch/devices/devices.h"
#include "launch/devices/open_files.h"
#include "launch/nodes/node_link.h"

namespace vitrain::job {

// A job, checked as far as that is possible without starting it: recipe,
// devices, datasets, arithmetic, model, precision. Makes no torch call.
struct PreparedJob {
  Job job;
  std::filesystem::path worker_program; // Request's
  std::vector<launch::DeviceSlot> devices; // of this machine
  int workers = 1; // devices that train, of all machines
  int cores = 1;
  // Connection to the run's other machines; null for a single machine.
  std::unique_ptr<launch::NodeLink> link;
  config::Origins origins; // origins of the recipe's values, for messages
  config::Problems problems; // none yet; they come in the order of the layers
  // Preprocessing record of the evaluated or initial weights, if they have one.
  std::optional<PreprocessRecord> record;
  std::unique_ptr<data::Index> train; // null when evaluating only
  std::unique_ptr<data::Index> eval;
  std::unique_ptr<const data::Samplers> samplers; // null when evaluating only
  // Names of all that data.split holds out of the training data, whatever part
  // of it eval.subset evaluates (data::sample_names).
  std::string held_out;
  // Notes to print before the start, one sentence each.
  std::vector<std::string> notes;
  // Differences between the recipe and that of the run to resume.
  std::vector<config::Difference> changes;
  // True if that run is complete.
  bool finished = false;
  // Lock on the run folder, held by the machine that decides; and whether that
  // takes it from a process that is alive.
  std::unique_ptr<LockFile> lock;
  bool take_over = false;

  // True on node 0 and on a single machine.
  bool decides() const { return !link || link->node_rank() == 0; }
};

// The steps of prepare() that workers of another launcher take after they have
// met (join_job.h): the datasets of the recipe; the checkpoint that -resume
// means (`resume`, not empty; `writes`: its run is locked); what only the
// numbers of samples and classes show. Throw Error.
void list_data(PreparedJob& prepared);
void resolve_resume(
    PreparedJob& prepared,
    const std::string& resume,
    bool writes);
// Makes the samplers resume the checkpoint's partial epoch, with a note. Throws
// Error(kUsage) if that is impossible with the present workers.
void continue_epoch(PreparedJob& prepared, const config::Timeline& timeline);

// Throws Error(kUsage) with every rule that the recipe breaks with `workers`
// workers (config::kWorkersUnknown: skips rules about their number).
void check_recipe(const PreparedJob& prepared, std::int64_t workers);
void check_arithmetic(PreparedJob& prepared);

// A job with the recipe, mode and descriptions of a request; throws
// Error(kUsage) for a recipe that cannot be read.
PreparedJob begin_job(const Request& request);

// Finds the weights that model.pretrained names and applies their record
// (use_record), unless a run is resumed, which has applied it. Throws
// Error(kUsage), Error(kWeights).
void find_pretrained(PreparedJob& prepared, bool resumes);

// Creates the job's run folder, and locks it for training.
void make_run_directory(PreparedJob& prepared);

// Writes the samples held out by data.split, if any, to the run folder: its
// weights are evaluated only on these. On node 0.
void write_held_out(const PreparedJob& prepared);

// Locks a run folder for as long as the job is there. Waits and throws as
// LockFile; a line on stderr says for whom it waits.
void lock_run(PreparedJob& prepared, const RunDirectory& run);

// Prepares a request without writing anything. Throws Error with all problems
// of the recipe.
PreparedJob prepare(const Request& request);

} // namespace vitrain::job
