#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/manifest.h"

namespace vitrain::checkpoint {

// Returns the folder name of a step: "step-000001250".
std::string folder_name(std::int64_t step);

// Returns the step of a name made by folder_name(); nullopt for any other name.
std::optional<std::int64_t> folder_step(const std::string& name);

// True if the path is a folder that contains a manifest.
bool is_checkpoint(const std::filesystem::path& path);

// Checks the size and hash of every file of a checkpoint folder. Throws
// Error(kWeights) naming each invalid file and the reason.
Manifest verify(const std::filesystem::path& checkpoint);

// Verifies a file named by the user against the manifest in its folder, or in
// the folder of a link's target; for an index of weights, also the files that
// it names. Files without a manifest of vitrain, or not listed in it, pass.
// Throws Error(kWeights), also if a file cannot be opened.
void verify_named(const std::filesystem::path& file);

// Returns the message of the error that verify() throws; "" if it throws none.
std::string problem_of(const std::filesystem::path& checkpoint);

// Returns the newest complete and intact checkpoint in `folder` (a run's
// checkpoints/): the one named by `latest`, otherwise the one with the highest
// step. Ignores a pointer to outside of the folder. Describes skipped
// checkpoints in `rejected`, unless it is null.
std::optional<std::filesystem::path> newest_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected = nullptr);

// Returns the checkpoint that `best` names if it is intact; else nullopt.
std::optional<std::filesystem::path> best_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected = nullptr);

// True if the path is a file `latest` or `best`, which names a checkpoint in
// its folder.
bool is_pointer(const std::filesystem::path& path);

// Returns the checkpoint that a pointer file names. Throws Error(kWeights)
// unless it is complete and intact.
std::filesystem::path pointed_to(const std::filesystem::path& pointer);

// Returns the folders in `folder` that are named like checkpoints, by step,
// valid or not.
std::map<std::int64_t, std::filesystem::path> list_steps(
    const std::filesystem::path& folder);

} // namespace vitrain::checkpoint
