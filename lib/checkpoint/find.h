#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/manifest.h"

namespace vitrain::checkpoint {

// Name of the folder of a step: "step-000001250".
std::string folder_name(std::int64_t step);

// Step of a folder name that folder_name() made; none for any other name.
std::optional<std::int64_t> folder_step(const std::string& name);

// Whether the path is a folder with a manifest in it.
bool is_checkpoint(const std::filesystem::path& path);

// Checks the size and the hash of every file of a checkpoint folder. Throws
// Error(kWeights) naming each file that is wrong, and the reason.
Manifest verify(const std::filesystem::path& checkpoint);

// Verifies a file named by the user, and the files that it names if it is an
// index of weights, against the manifest in its folder, or in the folder of a
// link's target. Files without a manifest of vitrain, or not listed in it,
// pass. Throws Error(kWeights), also if a file cannot be opened.
void verify_named(const std::filesystem::path& file);

// Returns the error of verify(), or "".
std::string problem_of(const std::filesystem::path& checkpoint);

// Returns the newest complete and intact checkpoint in `folder` (a run's
// checkpoints/): the one named by `latest`, otherwise the one with the highest
// step. A pointer out of the folder is ignored. Skipped checkpoints are
// described in `rejected`, if not null.
std::optional<std::filesystem::path> newest_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected = nullptr);

// The intact checkpoint that `best` names, if there is one.
std::optional<std::filesystem::path> best_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected = nullptr);

// Returns true if the path is a file `latest` or `best`, which names a
// checkpoint in its folder.
bool is_pointer(const std::filesystem::path& path);

// Returns the checkpoint named by such a file. Throws Error(kWeights) unless it
// is complete and intact.
std::filesystem::path pointed_to(const std::filesystem::path& pointer);

// Folders in `folder` named like checkpoints, by step, valid or not.
std::map<std::int64_t, std::filesystem::path> list_steps(
    const std::filesystem::path& folder);

} // namespace vitrain::checkpoint
