#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "config/command_line/arguments.h"

namespace vitrain::config {

enum class OptionId {
  kCfg,
  kSet,
  kDryRun,
  kPrintConfig,
  kOrigin,
  kDataset,
  kDataPath,
  kBatchSize,
  kBatchSizeEval,
  kImageSize,
  kEpoch,
  kWorld,
  kRank,
  kOut,
  kShardMb,
  kCount,
  kTrainPixels,
  kIndex,
  kResizeTo,
  kFilter,
  kPillow,
  kCropTo,
  kAccumIter,
  kAmp,
  kOutput,
  kPretrained,
  kResume,
  kLastEpoch,
  kEval,
  kDevices,
  kGpus,
  kNgpus,
  kNp,
  kNnodes,
  kNodeRank,
  kMaster,
  kHosts,
  kSsh,
  kLauncher,
  kMaxRestarts,
  kLogDir,
  kHelp,
  kVersion,
};

// A set of verbs.
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

// One option of the command line.
struct Option {
  enum class Value { kNone, kRequired, kOptional };

  OptionId id;
  std::string_view name; // without dashes: "batch_size"
  Value value;
  std::string_view label; // of the value, for help: "N"
  std::string_view group; // heading in help
  VerbSet verbs; // with which it has a meaning
  VerbSet ignored; // with which it is accepted without effect, and reported
  std::string_view help;
};

// All options, in the order of the help text.
std::span<const Option> options();

// The option that a name means: itself, or what other launchers call it
// ("nproc_per_node" is "np").
std::string_view option_meant(std::string_view name);

// Options of later versions: refused by name.
bool is_later_option(std::string_view name);

// The words of a verb, as in "config check", and one line about it.
struct VerbInfo {
  Verb verb;
  std::string_view words;
  std::string_view summary;
  std::string_view files{}; // "FILES...", where it takes names of files
};
std::span<const VerbInfo> verbs();

} // namespace vitrain::config
