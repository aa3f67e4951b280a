#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/command_line/arguments.h"
#include "core/enum_names.h"

namespace vitrain::config {

// A set of verbs: bit N is the verb with value N.
using VerbSet = std::uint32_t;

constexpr VerbSet verb_set(std::initializer_list<Verb> verbs) {
  VerbSet set = 0;
  for (const Verb verb : verbs) {
    set |= VerbSet{1} << static_cast<unsigned>(verb);
  }
  return set;
}

constexpr bool contains(VerbSet set, Verb verb) {
  return (set & verb_set({verb})) != 0;
}

// Training, and verbs that show, check or pack a training's recipe or data.
inline constexpr VerbSet kTrainingVerbs = verb_set(
    {Verb::kTrain,
     Verb::kConfigCheck,
     Verb::kConfigShow,
     Verb::kDataOrder,
     Verb::kDataCheck,
     Verb::kDataShow,
     Verb::kDataDump,
     Verb::kDataPack});
inline constexpr VerbSet kRecipeVerbs =
    kTrainingVerbs | verb_set({Verb::kEval});

inline constexpr VerbSet kWeightsVerbs = verb_set(
    {Verb::kWeightsShow,
     Verb::kWeightsDiff,
     Verb::kWeightsConvert,
     Verb::kWeightsAverage});

// Verbs that translate arguments of other programs.
inline constexpr VerbSet kForeignVerbs =
    verb_set({Verb::kConfigFromTimm, Verb::kConfigFromTorchvision});
// Verbs that display runs.
inline constexpr VerbSet kRunsVerbs =
    verb_set({Verb::kReport, Verb::kRuns, Verb::kShow});

// Verbs that accept -output.
inline constexpr VerbSet kOutputVerbs = kForeignVerbs |
    verb_set(
                                            {Verb::kTrain,
                                             Verb::kEval,
                                             Verb::kConfigCheck,
                                             Verb::kConfigShow,
                                             Verb::kExport,
                                             Verb::kReport});

// Verbs that accept -cfg and -set.
inline constexpr VerbSet kReadingVerbs =
    kRecipeVerbs | verb_set({Verb::kExport, Verb::kPredict});
// Verbs that accept the options that choose devices.
inline constexpr VerbSet kDeviceVerbs =
    kRecipeVerbs | verb_set({Verb::kPredict});

// Headings of the help text.
enum class OptionGroup {
  kConfig,
  kData,
  kLooking,
  kWeights,
  kExport,
  kPredict,
  kRuns,
  kModel,
  kTraining,
  kDevices,
  kMachines,
  kOther,
};
constexpr auto names_of(OptionGroup) {
  using enum OptionGroup;
  return enum_names<OptionGroup>(
      {{kConfig, "Config"},
       {kData, "Data"},
       {kLooking, "Looking at data"},
       {kWeights, "Looking at weights"},
       {kExport, "Exporting"},
       {kPredict, "Predicting"},
       {kRuns, "Looking at runs"},
       {kModel, "Model"},
       {kTraining, "Training"},
       {kDevices, "Devices"},
       {kMachines, "Several machines"},
       {kOther, "Other"}});
}

class CommandLine;

// One option of the command line.
struct Option {
  std::string_view name; // without dashes: "batch_size"
  std::string_view alias{}; // name of the same option in another launcher
  // Placeholder of the value in the help, "N"; empty: the option takes no
  // value.
  std::string_view label{};
  std::string_view implied{}; // value if the option is given without one
  OptionGroup group{};
  VerbSet verbs = kRecipeVerbs; // verbs that the option affects
  VerbSet ignored = 0; // verbs that accept it without effect and print a note
  bool local = false; // not passed on to the hosts of -hosts
  std::string_view help{};
  // Effect: sets the recipe's key `key`, or calls `read`. Both are empty for
  // -eval, -help and -version, which are handled first.
  std::string_view key{};
  void (*read)(CommandLine&) = nullptr;
  // Returns values for completion, if neither the key nor the label determines
  // them.
  std::vector<std::string> (*words)() = nullptr;
};

// Returns all options, in the order of the help text.
std::span<const Option> options();
// Returns the option with this name or alias; null if there is none.
const Option* find_option(std::string_view name);

// Words of a verb, such as "config check", and its help.
struct VerbInfo {
  Verb verb;
  std::string_view words;
  std::string_view summary;
  std::string_view examples;
  // Placeholder of words besides options: "FILES..."; empty: takes none.
  std::string_view files{};
};
std::span<const VerbInfo> verbs();
const VerbInfo& info_of(Verb verb);
// Returns the verb that these words begin with; null if there is none.
const VerbInfo* find_verb(std::span<const std::string> words);
// Returns the words that can follow `first` in two-word verbs, none for another
// word; for "" the first words of all verbs, each once.
std::vector<std::string> verb_words(std::string_view first);

} // namespace vitrain::config
