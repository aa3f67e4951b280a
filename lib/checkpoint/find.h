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

// The same for one file that a user names, and for those that it names as an
// index of weights: what the manifest beside a file, or beside the one that a
// link leads to, says about it must hold. Files without a manifest of ours, and
// those that it does not list, pass. Throws Error(kWeights), also for a file
// that cannot be opened.
void verify_named(const std::filesystem::path& file);

// What verify() has against a checkpoint, or "".
std::string problem_of(const std::filesystem::path& checkpoint);

// The newest checkpoint in `folder` (a run's checkpoints/) that is complete and
// intact: the one that `latest` names, else the one of the highest step. A
// pointer that leads out of the folder is not followed. Each one passed over is
// described in `rejected` when that is not null.
std::optional<std::filesystem::path> newest_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected = nullptr);

// The intact checkpoint that `best` names, if there is one.
std::optional<std::filesystem::path> best_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected = nullptr);

// Whether the path is a file called `latest` or `best`, beside the checkpoints
// of which it names one.
bool is_pointer(const std::filesystem::path& path);

// The checkpoint that such a file names. Throws Error(kWeights) when it is not
// complete and intact.
std::filesystem::path pointed_to(const std::filesystem::path& pointer);

// Folders in `folder` named like checkpoints, by step, valid or not.
std::map<std::int64_t, std::filesystem::path> list_steps(
    const std::filesystem::path& folder);

} // namespace vitrain::checkpoint
