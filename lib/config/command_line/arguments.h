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
  kWeightsFetch,
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
  // Dictionary of a checkpoint with the weights: "ema"; "": averaged weights
  // first, then the usual names.
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
  // Names of ONNX's input and output; nullopt: images, logits.
  std::optional<std::array<std::string, 2>> names;
};

// Arguments of `predict`; its images are DataArguments::files.
struct PredictArguments {
  std::int64_t top = 5; // number of classes to print per image
  std::optional<std::int64_t> batch; // images; nullopt: depends on the device
  std::optional<std::string> csv; // output file; "-": standard output
  std::optional<std::string> jsonl; // output file; "-": standard output
  std::optional<std::string> features; // output file (.npy or .safetensors)
  std::optional<std::string> sheet; // output file (.png)
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
  std::optional<std::string> output; // report: output file (.html)
  RunOrder order = RunOrder::kStarted; // only for the verb `runs`
  bool json = false; // `runs` prints JSON
};

// Arguments of the verbs of `data`; `out` and `files` are also other verbs'.
struct DataArguments {
  std::int64_t epoch = 0; // data order, show, dump: epoch, from 0
  // data order: number of workers; nullopt: as training would start.
  std::optional<std::int64_t> world;
  std::optional<std::int64_t> rank; // data order: a single worker; nullopt: all
  std::int64_t count = 64; // data show: number of images
  std::optional<std::string> out; // output file; data pack, unpack: folder
  std::int64_t shard_mb = 1024; // data pack: size of a shard in MiB
  // Words for which the verb has VerbInfo::files: mostly file names; names of
  // models for `models`, a shell for `completion`.
  std::vector<std::string> files;
  // Options of data dump.
  bool train = false; // pixels of training instead of evaluation
  std::int64_t index = 0; // with `train`: index of the first file as a sample
  std::optional<std::int64_t> resize; // pixels of the shorter side
  std::optional<std::int64_t> crop; // side of the centre crop in pixels
  Filter filter = Filter::kBicubic; // filter of `resize`
  std::int64_t pillow = 12; // as data.preprocess.pillow: 12 or 13
};

// How the processes of a run are started; these options may differ between
// machines.
struct LaunchArguments {
  std::string launcher = "auto";
  std::optional<std::int64_t> node_rank;
  std::optional<std::string> master; // -master: HOST:PORT
  std::optional<std::string> hosts; // -hosts: H1:N,H2:N
  // -np: number on this machine; with -hosts: on all of them.
  std::optional<std::int64_t> workers;
  bool ssh = false; // run the commands of `hosts` instead of printing them
  // Arguments for every host: all except -hosts, -ssh, -master and -np.
  std::vector<std::string> shared;
};

// Trials that run in place of training.
struct TrialArguments {
  std::optional<std::int64_t> steps; // -try; nullopt: not given
  std::optional<std::int64_t> lr_steps; // -find_lr; nullopt: not given

  bool is_wanted() const { return steps || lr_steps; }
};

// Parsed command line.
struct Arguments {
  Verb verb = Verb::kTrain;
  std::optional<std::string> cfg;
  // Named options in the order given, then -set.
  std::vector<Override> overrides;
  std::optional<std::string> data_path;
  // config from-...: the file to write (nullopt: standard output), and the
  // words to translate; a single word is a file or a whole command.
  std::optional<std::string> output;
  std::vector<std::string> foreign;
  // Exit code 0 although words that change the result are left out.
  bool allow_left_out = false;
  // "auto" or a checkpoint or run folder; nullopt: start a new run.
  std::optional<std::string> resume;
  bool take_over = false; // take the run from the process that has it
  DataArguments data;
  WeightsArguments weights;
  ExportArguments exports;
  PredictArguments predict;
  RunsArguments runs;
  Shell shell = Shell::kBash; // shell of the verb `completion`
  // Words after `__complete`, which a completion script gives; nullopt for
  // other command lines.
  std::optional<std::vector<std::string>> typed;
  LaunchArguments launch;
  // For config show: add the origin of every value as a comment.
  bool origin = false;
  bool dry_run = false;
  TrialArguments trial;
  bool print_config = false;
  bool version = false;
  bool help = false;
  // The command line has a verb; with `help`, the verb's own help is requested.
  bool verb_given = false;
  // With `help`: the first word of two-word verbs, such as "config", if no
  // second word follows it; otherwise "".
  std::string verb_group;
  // Sentences to print about options that were accepted without effect.
  std::vector<std::string> notes;

  LoadRequest load_request() const;
};

// Parses the arguments (without the program's name). Accepts one dash or two,
// `_` or `-` in names, `-x v` or `-x=v`. Throws Error(kUsage) that lists every
// mistake; -version takes precedence over mistakes, -help over all but an
// unknown verb.
Arguments parse_arguments(std::span<const std::string> arguments);
Arguments parse_arguments(int argc, const char* const* argv);

inline constexpr int kHelpColumns = 100;
// Returns the text of `vitrain --help`, of `vitrain <verb> --help`, and of
// `vitrain <group> --help` for the first word of two-word verbs. All but the
// last have examples. Explanations are wrapped at `columns`, but have at least
// 20 columns of their own; examples and usage lines may be longer.
std::string help(int columns = kHelpColumns);
std::string help(Verb verb, int columns = kHelpColumns);
std::string help(std::string_view group, int columns = kHelpColumns);

} // namespace vitrain::config
