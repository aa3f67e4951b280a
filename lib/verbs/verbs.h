#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/command_line/arguments.h"
#include "config/sections/recipe.h"
#include "job/prepare/prepared_job.h"
#include "models/model_counts.h"

// The verbs that need no torch: all that make no network by themselves.
// Processes that train are started as programs with torch.
namespace vitrain::verbs {

// Prints a dry run of a job, which creates its network; `has_weights`: this
// machine reads the initial weights.
using PrintDryRun =
    std::function<void(const job::PreparedJob& job, bool has_weights)>;

// Counts of the networks with these names, which find_model() accepts, in their
// order. Nothing: not known of each, without making networks.
using CountModels =
    std::function<std::optional<std::vector<models::ModelCounts>>(
        const std::vector<std::string>& names)>;

// How this process was started, the program of its workers, and its functions
// that need torch.
struct Invocation {
  std::string command_line; // for the records
  // With "--worker" it is a worker (engine/run/worker.h).
  std::filesystem::path worker_program = "/proc/self/exe";
  PrintDryRun print_dry_run = {}; // none without torch
  CountModels count_models = {}; // none: knows no counts
};

// Help, or what such a verb does; returns the exit code. Nothing: another verb,
// for which the arguments have the recipe of a run that they name, as of
// with_run_recipe().
std::optional<int> without_torch(
    config::Arguments& arguments,
    const Invocation& invocation);

// Returns the result of `program`. If it throws, prints the message on standard
// error and to a launcher's error file, and returns the error's exit code.
// Returns kStorage instead of 0 if standard output could not be written.
int exit_code_of_program(const std::function<int()>& program);

// Uses the recipe of a run if the command line names a run instead of a file:
// -cfg RUN, and without -cfg, -resume RUN or -eval -pretrained RUN. Throws
// Error(kUsage) where such a run has none.
config::Arguments with_run_recipe(config::Arguments arguments);

// One function per verb: wiring only. Each returns the exit code.

// Training and evaluation. Nothing where a dry run is asked for that the
// invocation cannot print.
std::optional<int> train(
    const config::Arguments& arguments,
    const Invocation& invocation);
// nullopt if it needs counts that the invocation does not have.
std::optional<int> models_verb(
    const config::Arguments& arguments,
    const Invocation& invocation);
int completion(const config::Arguments& arguments);
int config_verb(const config::Arguments& arguments);
int config_from(const config::Arguments& arguments);
int data_order(const config::Arguments& arguments);
int data_check(const config::Arguments& arguments);
int data_show(const config::Arguments& arguments);
int data_dump(const config::Arguments& arguments);
int data_pack(const config::Arguments& arguments);
int data_unpack(const config::Arguments& arguments);
int devices();
int man();
int report(const config::Arguments& arguments);
int runs(const config::Arguments& arguments);
int show(const config::Arguments& arguments);

// As many as training would use, started as this process was.
std::int64_t training_devices(
    const config::Arguments& arguments,
    const config::Recipe& recipe);

} // namespace vitrain::verbs
