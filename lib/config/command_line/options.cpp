#include "config/command_line/options.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "config/command_line/option_table.h"

namespace vitrain::config {
namespace {

constexpr std::array<std::string_view, 4> kLater{
    "deploy",
    "mae_pretrain",
    "multi_scale_sampler_ddp",
    "teacher_model_path"};

// What other launchers call our options: horovodrun, torchrun, Paddle's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAliases{
    {{"H", "hosts"},
     {"nproc_per_node", "np"},
     {"max_restart", "max_restarts"}}};

constexpr std::array kVerbs{
    VerbInfo{
        Verb::kTrain,
        "train",
        "Train the recipe, evaluating as it says (the default verb)."},
    VerbInfo{
        Verb::kEval,
        "eval",
        "Evaluate weights: loss, top-1 and top-5, each sample counted once."},
    VerbInfo{
        Verb::kConfigCheck,
        "config check",
        "Check a recipe and list everything that is wrong with it."},
    VerbInfo{
        Verb::kConfigShow,
        "config show",
        "Print the resolved recipe: defaults, base files, file and options."},
    VerbInfo{
        Verb::kConfigReference,
        "config reference",
        "Print every key with default, allowed values and meaning."},
    VerbInfo{
        Verb::kDataOrder,
        "data order",
        "Print the indices of the samples of each micro-batch of an epoch."},
    VerbInfo{
        Verb::kDataCheck,
        "data check",
        "Read every sample: corrupt files, defects, duplicates, sizes, "
        "formats, classes."},
    VerbInfo{
        Verb::kDataShow,
        "data show",
        "Write a sheet of images as training sees them, augmented."},
    VerbInfo{
        Verb::kDataDump,
        "data dump",
        "Write the pixels that evaluation or training sees of some files.",
        "FILES..."},
    VerbInfo{
        Verb::kDataPack,
        "data pack",
        "Pack the JPEG files of a dataset into archives that load several "
        "times faster, without loss."},
    VerbInfo{
        Verb::kDataUnpack,
        "data unpack",
        "Write the files in such archives as they were.",
        "FILES..."},
    VerbInfo{
        Verb::kDevices,
        "devices",
        "List the devices that training would see."},
    VerbInfo{
        Verb::kModels,
        "models",
        "List the models that model.name can be."},
};

} // namespace

std::span<const Option> options() {
  static const std::vector<Option> all = [] {
    std::vector<Option> joined;
    for (const auto part : {detail::recipe_options(), detail::run_options()}) {
      joined.insert(joined.end(), part.begin(), part.end());
    }
    return joined;
  }();
  return all;
}

std::string_view option_meant(std::string_view name) {
  const auto alias = std::ranges::find(
      kAliases, name, [](const auto& pair) { return pair.first; });
  return alias == kAliases.end() ? name : alias->second;
}

bool is_later_option(std::string_view name) {
  return std::ranges::find(kLater, name) != kLater.end();
}

std::span<const VerbInfo> verbs() {
  return kVerbs;
}

} // namespace vitrain::config
