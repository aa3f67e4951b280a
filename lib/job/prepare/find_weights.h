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

// The checkpoint folder that a path means: itself, the one that a file `best`
// or `latest` names, or for a run folder (or its checkpoints/) the one to
// continue from (`best`: the one that `best` names, and without such a file the
// same). What is passed over for it is described in `rejected` when that is not
// null. Throws Error(kWeights) saying what is there instead, and where what
// `best` names is damaged or missing: nothing stands in for it.
std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best,
    std::vector<std::string>* rejected = nullptr);

// Whether a path is one for find_checkpoint, not a file of weights.
bool is_checkpoint_path(const std::filesystem::path& path);

// The folder of the run whose weights these are, RUN/checkpoints/STEP or the
// file in it; some other folder for those of none. Throws as find_checkpoint().
std::filesystem::path run_of_weights(const std::string& weights);

// The path that model.pretrained, or another `key`, means: itself; with the
// extension of the one file of weights beside it that has one (./vit for
// ./vit.pth, also beside a folder ./vit that holds no checkpoint); for such a
// folder alone the only file of weights in it, or the index of the only ones,
// as transformers' save_pretrained() writes them; for timm:NAME (or
// timm:timm/NAME) the file in the local Hugging Face cache. A name that nothing
// has stays. Throws Error(kUsage) when it could mean several files,
// Error(kWeights) for an index in such a folder that is none.
std::string resolve_weights(
    const std::string& name,
    std::string_view key = kPretrained);

// Throws Error(kWeights) when what a key names, if it names anything, is not
// there.
void check_exists(
    const std::optional<std::string>& weights,
    std::string_view key = kPretrained);

} // namespace vitrain::job
