#include "config/options.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vitrain::config {
namespace {

constexpr VerbSet kRuns = verb_set({Verb::kTrain, Verb::kEval});
constexpr VerbSet kRecipes = verb_set(
    {Verb::kTrain,
     Verb::kEval,
     Verb::kConfigCheck,
     Verb::kConfigShow,
     Verb::kDataOrder});
// Training, and the verbs that look at what it would do.
constexpr VerbSet kTraining = verb_set(
    {Verb::kTrain, Verb::kConfigCheck, Verb::kConfigShow, Verb::kDataOrder});
constexpr VerbSet kEval = verb_set({Verb::kEval});
constexpr VerbSet kAll = ~VerbSet{0};
constexpr VerbSet kNobody = 0;

constexpr auto kNone = Option::Value::kNone;
constexpr auto kRequired = Option::Value::kRequired;
constexpr auto kOptional = Option::Value::kOptional;

constexpr std::array kOptions{
    Option{
        OptionId::kCfg,
        "cfg",
        kRequired,
        "FILE",
        "Config",
        kRecipes,
        kNobody,
        "The recipe: a YAML file (docs/config.md lists its keys), or one of "
        "PaddleViT's."},
    Option{
        OptionId::kSet,
        "set",
        kRequired,
        "KEY=VALUE",
        "Config",
        kRecipes,
        kNobody,
        "Set one key, as in -set optim.lr=5e-4. Repeatable; wins over "
        "everything else."},
    Option{
        OptionId::kPrintConfig,
        "print_config",
        kNone,
        "",
        "Config",
        kRuns,
        kNobody,
        "Print the resolved recipe and stop."},
    Option{
        OptionId::kDryRun,
        "dry_run",
        kNone,
        "",
        "Config",
        kRuns,
        kNobody,
        "Check everything, data included, print what would be done and stop."},
    Option{
        OptionId::kOrigin,
        "origin",
        kNone,
        "",
        "Config",
        verb_set({Verb::kConfigShow}),
        kNobody,
        "Say behind each value which file or option set it."},
    Option{
        OptionId::kDataset,
        "dataset",
        kRequired,
        "KIND",
        "Data",
        kRecipes,
        kNobody,
        "folder, list, cifar, mnist, shapes, random or vectors: "
        "data.train.kind and data.eval.kind; imagenet2012 is PaddleViT's word "
        "for list."},
    Option{
        OptionId::kDataPath,
        "data_path",
        kRequired,
        "FOLDER",
        "Data",
        kRecipes,
        kNobody,
        "Where the data is: train/ and val/ (or test/) below FOLDER; for list "
        "train_list.txt and val_list.txt in it; for cifar and mnist FOLDER "
        "itself; for vectors train.npy or .csv and so on."},
    Option{
        OptionId::kBatchSize,
        "batch_size",
        kRequired,
        "N",
        "Data",
        kRecipes,
        kNobody,
        "Samples per device, for training and evaluation."},
    Option{
        OptionId::kBatchSizeEval,
        "batch_size_eval",
        kRequired,
        "N",
        "Data",
        kRecipes,
        kNobody,
        "Samples per device, for evaluation only."},
    Option{
        OptionId::kEpoch,
        "epoch",
        kRequired,
        "N",
        "Data",
        verb_set({Verb::kDataOrder}),
        kNobody,
        "The epoch to list, from 0 (the default)."},
    Option{
        OptionId::kWorld,
        "world",
        kRequired,
        "W",
        "Data",
        verb_set({Verb::kDataOrder}),
        kNobody,
        "Number of workers to list for; default: as training would start."},
    Option{
        OptionId::kRank,
        "rank",
        kRequired,
        "R",
        "Data",
        verb_set({Verb::kDataOrder}),
        kNobody,
        "The worker to list, from 0; default: all, batch by batch."},
    Option{
        OptionId::kImageSize,
        "image_size",
        kRequired,
        "N",
        "Model",
        kRecipes,
        kNobody,
        "Side of the network's input in pixels: model.image_size."},
    Option{
        OptionId::kPretrained,
        "pretrained",
        kRequired,
        "PATH",
        "Model",
        kRecipes,
        kNobody,
        "Weights to start from or to evaluate: a .safetensors file or a "
        "checkpoint folder."},
    Option{
        OptionId::kAccumIter,
        "accum_iter",
        kRequired,
        "N",
        "Training",
        kTraining,
        kEval,
        "Micro-batches per optimizer step: train.accumulate."},
    Option{
        OptionId::kAmp,
        "amp",
        kNone,
        "",
        "Training",
        kTraining,
        kEval,
        "bf16 arithmetic: train.precision: bf16."},
    Option{
        OptionId::kResume,
        "resume",
        kOptional,
        "[auto|PATH]",
        "Training",
        verb_set({Verb::kTrain}),
        kNobody,
        "Continue a run: the newest of this recipe in run.output (auto, the "
        "default), or the run or "
        "checkpoint folder PATH."},
    Option{
        OptionId::kLastEpoch,
        "last_epoch",
        kRequired,
        "N",
        "Training",
        kTraining,
        kEval,
        "As PaddleViT's scripts have it beside -resume; the checkpoint knows "
        "its epoch itself."},
    Option{
        OptionId::kOutput,
        "output",
        kRequired,
        "FOLDER",
        "Training",
        kRecipes,
        kNobody,
        "Folder in which the run folder is made: run.output."},
    Option{
        OptionId::kEval,
        "eval",
        kNone,
        "",
        "Training",
        kRuns,
        kNobody,
        "Evaluate instead of training: the verb eval."},
    Option{
        OptionId::kDevices,
        "devices",
        kRequired,
        "KIND[:N]",
        "Devices",
        kRecipes,
        kNobody,
        "cpu, cpu:2, cuda or cuda:4: what to run on, one worker per device; a "
        "list of numbers is -gpus."},
    Option{
        OptionId::kGpus,
        "gpus",
        kRequired,
        "LIST",
        "Devices",
        kRecipes,
        kNobody,
        "CUDA devices by index, UUID or MIG name, as in 0,2."},
    Option{
        OptionId::kNgpus,
        "ngpus",
        kRequired,
        "N",
        "Devices",
        kRecipes,
        kNobody,
        "The first N visible CUDA devices; -1: all there are."},
    Option{
        OptionId::kNp,
        "np",
        kRequired,
        "N",
        "Devices",
        kRecipes,
        kNobody,
        "N workers on this machine, on its CUDA devices or else on the CPU; "
        "with -hosts, on all machines together. Also -nproc_per_node."},
    Option{
        OptionId::kNnodes,
        "nnodes",
        kRequired,
        "N",
        "Several machines",
        kRecipes,
        kNobody,
        "Machines of the run: devices.nodes. Start the same command on each, "
        "with its own -node_rank."},
    Option{
        OptionId::kNodeRank,
        "node_rank",
        kRequired,
        "R",
        "Several machines",
        kRuns,
        kNobody,
        "Which of the machines this is, from 0."},
    Option{
        OptionId::kMaster,
        "master",
        kRequired,
        "HOST:PORT",
        "Several machines",
        kRuns,
        kNobody,
        "Where the machines meet: an address of machine 0 and a free port on "
        "it."},
    Option{
        OptionId::kHosts,
        "hosts",
        kRequired,
        "H1:N,H2:N",
        "Several machines",
        kRuns,
        kNobody,
        "Print the command for each host (N workers on it; without :N, one per "
        "device) instead of training. Also -H."},
    Option{
        OptionId::kSsh,
        "ssh",
        kNone,
        "",
        "Several machines",
        kRuns,
        kNobody,
        "With -hosts: run these commands by ssh, in the same folder there."},
    Option{
        OptionId::kLauncher,
        "launcher",
        kRequired,
        "NAME",
        "Several machines",
        kRuns,
        kNobody,
        "Who started this process: auto (look at the environment), none (start "
        "workers), torchrun, paddle, horovodrun, openmpi, hydra or slurm."},
    Option{
        OptionId::kMaxRestarts,
        "max_restarts",
        kRequired,
        "N",
        "Several machines",
        kTraining,
        kEval,
        "Start again up to N times after the death of a worker, from the last "
        "checkpoint: run.max_restarts. Also -max_restart."},
    Option{
        OptionId::kLogDir,
        "log_dir",
        kRequired,
        "FOLDER",
        "Several machines",
        kRecipes,
        kNobody,
        "Folder of workerlog.N: log.folder; default: log/ in the run folder."},
    Option{
        OptionId::kHelp,
        "help",
        kNone,
        "",
        "Other",
        kAll,
        kNobody,
        "This text; after a verb, its own."},
    Option{
        OptionId::kVersion,
        "version",
        kNone,
        "",
        "Other",
        kAll,
        kNobody,
        "Versions of vitrain and of what it was built with."},
};

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
  return kOptions;
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
