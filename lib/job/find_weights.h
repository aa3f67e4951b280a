#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::job {

// Recipe keys of the network's and of the teacher's weights, for messages.
inline constexpr std::string_view kPretrained = "model.pretrained";
inline constexpr std::string_view kTeacherPretrained =
    "train.distill.pretrained";

// Returns the checkpoint folder that a path means, with links resolved: the
// path itself, not verified, if it is a checkpoint; the folder named by a file
// `best` or `latest`; or, for a run folder or its checkpoints/, the newest
// valid checkpoint (if `best` is true and a file `best` exists, the one it
// names). Sets `rejected`, unless it is null, to descriptions of damaged newer
// checkpoints that were skipped (unchanged if `path` names one checkpoint).
// Throws Error(kWeights) if the path does not exist, if there is no valid
// checkpoint, or if the one named by `best`, or by a pointer file that is
// `path` itself, is damaged or missing.
std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best,
    std::vector<std::string>* rejected = nullptr);

// True if a path is a folder or a file `best` or `latest`, for
// find_checkpoint(); false for weights files and missing paths.
bool is_checkpoint_path(const std::filesystem::path& path);

// Returns RUN, with links resolved, for weights whose path is RUN,
// RUN/checkpoints, a file `best` or `latest` in that, a checkpoint of RUN
// (RUN/checkpoints/STEP) or a file in one. For other weights the result is an
// unrelated folder. Throws Error(kWeights): for a folder, `best` and `latest`
// as find_checkpoint(); for another path, which need not exist, only if its
// links cannot be resolved.
std::filesystem::path run_of_weights(const std::string& weights);

// Returns the path that the value `name` of model.pretrained (or of another
// `key`) means:
// - the name itself, if it is a file, or a folder that is or contains a
//   checkpoint;
// - the only weights file with this name and an extension (./vit.pth for
//   ./vit), even if a folder ./vit without a checkpoint exists;
// - for such a folder without such a file, its only weights file or only index,
//   as transformers' save_pretrained() writes them;
// - for a name of published weights (weights_cache.h), the file in the local
//   caches.
// Returns `name` unchanged if nothing matches. Throws Error(kUsage) if several
// files match, Error(kWeights) for an invalid index in such a folder or an
// unreadable ref in the Hugging Face cache.
std::string resolve_weights(
    const std::string& name,
    std::string_view key = kPretrained);

// True if a value that is no path is a name of published weights, on this
// machine or not.
bool is_published(const std::string& name);

// Returns the message for published weights that are not on this machine.
std::string not_here(const std::string& name);

// Throws Error(kWeights) if `weights` (as resolve_weights() returns it) does
// not exist. Does nothing for nullopt. `key`: recipe key, for messages.
void check_exists(
    const std::optional<std::string>& weights,
    std::string_view key = kPretrained);

} // namespace vitrain::job
