#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/load_recipe.h"
#include "config/sections/preprocess.h"
#include "core/enum_names.h"

namespace vitrain::config {

enum class Verb {
  kTrain,
  kEval,
  kConfigCheck,
  kConfigShow,
  kConfigReference,
  kConfigFromTimm,
  kConfigFromTorchvision,
  kDataOrder,
  kDataCheck,
  kDataShow,
  kDataDump,
  kDataPack,
  kDataUnpack,
  kDevices,
  kModels,
  kWeightsShow,
  kWeightsDiff,
  kWeightsConvert,
  kWeightsAverage,
  kExport,
  kPredict,
  kReport,
  kRuns,
  kShow,
  kCompletion,
  kMan,
};

// Returns the words of a verb: "train", "config check", ...
std::string verb_name(Verb verb);

// How the verbs of `weights` read files: values of model.pretrained_part and
// model.pretrained_names.
struct WeightsArguments {
  std::string part;
  std::string names = "auto";
};

// Output format of `export`.
enum class ExportFormat { kSafetensors, kTorchScript, kOnnx };
constexpr auto names_of(ExportFormat) {
  using enum ExportFormat;
  return enum_names<ExportFormat>(
      {{kSafetensors, "safetensors"},
       {kTorchScript, "torchscript"},
       {kOnnx, "onnx"}});
}

// Shell for which `completion` writes a script.
enum class Shell { kBash, kZsh, kFish };
constexpr auto names_of(Shell) {
  using enum Shell;
  return enum_names<Shell>({{kBash, "bash"}, {kZsh, "zsh"}, {kFish, "fish"}});
}

struct ExportArguments {
  ExportFormat format = ExportFormat::kSafetensors;
  std::string output; // output file
  std::optional<std::array<std::string, 2>> names; // names of input and output
};

// Arguments of `predict`; its images are DataArguments::files.
struct PredictArguments {
  std::int64_t top = 5; // number of classes to print per image
  std::optional<std::int64_t> batch; // images per batch
  std::optional<std::string> csv; // output files; "-": standard output
  std::optional<std::string> jsonl;
  std::optional<std::string> sheet;
  std::optional<std::string> classes; // file with the names of the classes
};

// Key by which `runs` sorts its list.
enum class RunOrder { kStarted, kName, kState, kResult, kLoss, kSpeed, kTime };
constexpr auto names_of(RunOrder) {
  using enum RunOrder;
  return enum_names<RunOrder>(
      {{kStarted, "started"},
       {kName, "name"},
       {kState, "state"},
       {kResult, "result"},
       {kLoss, "loss"},
       {kSpeed, "speed"},
       {kTime, "time"}});
}

// Arguments of the verbs that display runs.
struct RunsArguments {
  std::optional<std::string> output; // report: output file
  RunOrder order = RunOrder::kStarted;
  bool json = false;
};

// Arguments of the verbs that display data.
struct DataArguments {
  std::int64_t epoch = 0;
  std::optional<std::int64_t> world; // data order: number of workers
  std::optional<std::int64_t> rank; // data order: a single worker; nullopt: all
  std::int64_t count = 64; // data show: number of images
  std::optional<std::string> out;
  std::int64_t shard_mb = 1024; // data pack: size of a shard in MB
  // File names for dump, unpack, weights, predict, report, runs, show; names of
  // models for `models`.
  std::vector<std::string> files;
  // Options of data dump.
  bool train = false;
  std::int64_t index = 0;
  std::optional<std::int64_t> resize;
  std::optional<std::int64_t> crop;
  Filter filter = Filter::kBicubic;
  std::int64_t pillow = 12;
};

// How the processes of a run are started; these options may differ between
// machines.
struct LaunchArguments {
  std::string launcher = "auto";
  std::optional<std::int64_t> node_rank;
  std::optional<std::string> master; // HOST:PORT
  std::optional<std::string> hosts; // H1:N,H2:N
  std::optional<std::int64_t> workers; // -np
  bool ssh = false;
  // Arguments for every host: all except -hosts, -ssh and the options that
  // choose devices.
  std::vector<std::string> shared;
};

// Trials that run in place of training.
struct TrialArguments {
  std::optional<std::int64_t> steps; // -try
  std::optional<std::int64_t> lr_steps; // -find_lr

  bool is_wanted() const { return steps || lr_steps; }
};

// Parsed command line.
struct Arguments {
  Verb verb = Verb::kTrain;
  std::optional<std::string> cfg;
  // Named options in the order given, then -set.
  std::vector<Override> overrides;
  std::optional<std::string> data_path;
  // config from-...: the file to write, and the words to translate.
  std::optional<std::string> output;
  std::vector<std::string> foreign;
  bool allow_left_out =
      false; // accept that arguments that change the result are omitted
  std::optional<std::string> resume; // "auto" or a checkpoint or run folder
  bool take_over = false;
  DataArguments data;
  WeightsArguments weights;
  ExportArguments exports;
  PredictArguments predict;
  RunsArguments runs;
  Shell shell = Shell::kBash; // completion
  // Words to complete, which a completion script gave; otherwise nullopt.
  std::optional<std::vector<std::string>> typed;
  LaunchArguments launch;
  // For config show: add the origin of every value as a comment.
  bool origin = false;
  bool dry_run = false;
  TrialArguments trial;
  bool print_config = false;
  bool version = false;
  bool help = false;
  // Set with `help`: the command line has a verb, whose own help is requested.
  bool verb_given = false;
  // Set with `help`: the first word of two-word verbs, such as "config";
  // otherwise "".
  std::string verb_group;
  // Sentences to print about options that were accepted without effect.
  std::vector<std::string> notes;

  LoadRequest load_request() const;
};

// Parses the arguments (without the program's name). Accepts one dash or two,
// `_` or `-` in names, `-x v` or `-x=v`. Throws Error(kUsage) that lists every
// mistake; -help and -version take precedence over mistakes.
Arguments parse_arguments(std::span<const std::string> arguments);
Arguments parse_arguments(int argc, const char* const* argv);

// Returns the text of `vitrain --help`, of `vitrain <verb> --help`, and of
// `vitrain <group> --help` for the first word of two-word verbs. All but the
// last have examples. Wrapped at `columns`; only examples may be longer.
inline constexpr int kHelpColumns = 100;
std::string help(int columns = kHelpColumns);
std::string help(Verb verb, int columns = kHelpColumns);
std::string help(std::string_view group, int columns = kHelpColumns);

} // namespace vitrain::config
