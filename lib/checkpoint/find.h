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

// Checks the size and hash of every file that a checkpoint's manifest lists,
// and returns the manifest. Throws Error(kWeights) naming each invalid file and
// the reason, also if the manifest is missing or invalid.
Manifest verify(const std::filesystem::path& checkpoint);

// Verifies size and hash of a file named by the user against the manifests in
// its folder and, for a link, in the folder of its target; for an index of
// weights, also the files that the index names. Files without a manifest of
// vitrain, or not listed in it, pass. Throws Error(kWeights), also if `file`
// cannot be opened.
void verify_named(const std::filesystem::path& file);

// Returns the message of the error that verify() throws; "" if it throws none.
std::string problem_of(const std::filesystem::path& checkpoint);

// Returns the newest complete and intact checkpoint in `folder` (a run's
// checkpoints/); nullopt if there is none. Tries the checkpoints of the run
// that wrote `latest`, from the highest step down to the step of `latest` (a
// process may have ended before it changed `latest`), then all other
// checkpoints, from the highest step down. Unless `rejected` is null, adds the
// reason for each skipped checkpoint to it, and for a `latest` that names no
// checkpoint of this folder.
std::optional<std::filesystem::path> newest_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected = nullptr);

// Returns the checkpoint in `folder` that `best` names if it is intact;
// otherwise nullopt. Unless `rejected` is null, adds the reason to it; no
// reason if there is no `best`.
std::optional<std::filesystem::path> best_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected = nullptr);

// True if the path has the name `latest` or `best` and is a link to a
// checkpoint's name, or a regular file, which should contain such a name. Does
// not check that the checkpoint exists.
bool is_pointer(const std::filesystem::path& path);

// Returns the checkpoint folder that `latest` or `best` names. Throws
// Error(kWeights) unless the checkpoint is complete and intact.
std::filesystem::path pointed_to(const std::filesystem::path& pointer);

// Returns the folders in `folder` that are named like checkpoints, by step,
// valid or not. Ignores links. Empty if `folder` cannot be listed.
std::map<std::int64_t, std::filesystem::path> list_steps(
    const std::filesystem::path& folder);

} // namespace vitrain::checkpoint
