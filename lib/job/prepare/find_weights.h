#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::job {

// The key of a network's weights, for messages; and of a teacher's.
inline constexpr std::string_view kPretrained = "model.pretrained";
inline constexpr std::string_view kTeacherPretrained =
    "train.distill.pretrained";

// Returns the checkpoint folder of a path: the path itself, the folder named by
// a file `best` or `latest`, or, for a run folder (or its checkpoints/), the
// checkpoint to resume from (with `best`: the one named by `best`, if that file
// exists). Skipped checkpoints are described in `rejected`, if not null. Throws
// Error(kWeights) if there is none, or if the one named by `best` is damaged or
// missing.
std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best,
    std::vector<std::string>* rejected = nullptr);

// Whether a path is one for find_checkpoint, not a file of weights.
bool is_checkpoint_path(const std::filesystem::path& path);

// Returns the run folder of weights at RUN/checkpoints/STEP or the file in it;
// an unrelated folder for other weights. Throws as find_checkpoint().
std::filesystem::path run_of_weights(const std::string& weights);

// Returns the path that model.pretrained, or another `key`, stands for: the
// name itself; the name with the extension of the only weights file of this
// name (./vit for ./vit.pth, even if a folder ./vit without a checkpoint
// exists); for such a folder alone its only weights file, or its only index, as
// transformers' save_pretrained() writes them; for timm:NAME (or
// timm:timm/NAME) the file in the local Hugging Face cache. A name without a
// file is returned unchanged. Throws Error(kUsage) if several files match,
// Error(kWeights) for an invalid index in such a folder.
std::string resolve_weights(
    const std::string& name,
    std::string_view key = kPretrained);

// Throws Error(kWeights) if a key names a path that does not exist.
void check_exists(
    const std::optional<std::string>& weights,
    std::string_view key = kPretrained);

} // namespace vitrain::job
