#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/command_line/arguments.h"
#include "config/sections/recipe.h"
#include "job/prepared_job.h"
#include "models/model_counts.h"

// Verbs that need no torch, because they create no network in this process.
// Training runs in processes of the program with torch.
namespace vitrain::verbs {

// Prints a dry run of a job, for which it creates the network; `has_weights`:
// true if this machine reads the initial weights.
using PrintDryRun =
    std::function<void(const job::PreparedJob& job, bool has_weights)>;

// Returns the counts of networks, in the order of their names, which
// find_model() must accept; nullopt if some cannot be known without creating a
// network.
using CountModels =
    std::function<std::optional<std::vector<models::ModelCounts>>(
        const std::vector<std::string>& names)>;

// How this process was started, the program of its workers, and functions that
// need torch.
struct Invocation {
  std::string command_line; // for the records
  // Program that runs a worker (engine/run/worker.h) if started with
  // "--worker".
  std::filesystem::path worker_program = "/proc/self/exe";
  PrintDryRun print_dry_run = {}; // empty without torch
  CountModels count_models = {}; // empty: no counts are known
};

// Prints help or runs a verb that needs no torch, and returns the exit code.
// Returns nullopt for -version, for a dry run without print_dry_run, for
// `models` without the counts, and for other verbs; then `arguments` have the
// recipe of the run that they name, as with_run_recipe() returns them (not for
// -version).
std::optional<int> without_torch(
    config::Arguments& arguments,
    const Invocation& invocation);

// Returns the result of `program`. If it throws, prints the message on standard
// error and to a launcher's error file, and returns the error's exit code.
// Returns kStorage instead of 0 if standard output could not be written.
int exit_code_of_program(const std::function<int()>& program);

// Returns the arguments with the recipe of a run if they name a run instead of
// a file: -cfg RUN, and without -cfg, -resume RUN or -eval -pretrained RUN.
// Throws Error(kUsage) if that run has no recipe (and weights do not name their
// network), Error(kWeights) if the path does not exist.
config::Arguments with_run_recipe(config::Arguments arguments);

// One function per verb: wiring only. Each returns the exit code.

// Trains or evaluates; or, if an option asks for it, only prints the recipe,
// runs trials, or prints or runs the commands of several hosts. Returns the
// exit code; nullopt if a dry run was requested and `invocation` cannot print
// it.
std::optional<int> train(
    const config::Arguments& arguments,
    const Invocation& invocation);
// Lists networks; nullopt if `invocation` lacks the counts that it needs.
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
int weights_fetch(const config::Arguments& arguments);

// Returns the number of devices that training would use on devices.nodes
// machines like this one, or the number that -world gives.
std::int64_t training_devices(
    const config::Arguments& arguments,
    const config::Recipe& recipe);

} // namespace vitrain::verbs
