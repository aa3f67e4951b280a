#include "config/command_line/options.h"

#include <algorithm>
#include <array>

#include "config/command_line/command_line.h"
#include "config/sections/devices.h"
#include "core/source_kind.h"

namespace vitrain::config {
namespace {

constexpr VerbSet kRunVerbs = verb_set({Verb::kTrain, Verb::kEval});
constexpr VerbSet kEvalVerb = verb_set({Verb::kEval});
constexpr VerbSet kPredictVerb = verb_set({Verb::kPredict});
constexpr VerbSet kEpochVerbs =
    verb_set({Verb::kDataOrder, Verb::kDataShow, Verb::kDataDump});
constexpr VerbSet kAllVerbs = ~VerbSet{0};

constexpr int kLargestSide = 8192; // as data.preprocess.resize

using Group = OptionGroup;

template <auto member>
constexpr Option predict_file(std::string_view name, std::string_view help) {
  return {
      .name = name,
      .label = "FILE",
      .group = Group::kPredict,
      .verbs = kPredictVerb,
      .help = help,
      .read = [](CommandLine& o) { o.arguments.predict.*member = o.value; }};
}

constexpr auto kOptions = std::to_array<Option>({
    {.name = "cfg",
     .label = "FILE",
     .group = Group::kConfig,
     .verbs = kReadingVerbs,
     .help = "The recipe: a YAML file (docs/config.md lists its keys), or one "
             "of PaddleViT's.",
     .read = [](CommandLine& o) { o.arguments.cfg = o.value; }},
    {.name = "set",
     .label = "KEY=VALUE",
     .group = Group::kConfig,
     .verbs = kReadingVerbs,
     .help = "Set one key, as in -set optim.lr=5e-4. Repeatable; wins over "
             "everything else.",
     .read = [](CommandLine& o) { o.sets.push_back(o.value); }},
    {.name = "print_config",
     .group = Group::kConfig,
     .verbs = kRunVerbs,
     .help = "Print the resolved recipe and stop.",
     .read = [](CommandLine& o) { o.arguments.print_config = true; }},
    {.name = "dry_run",
     .group = Group::kConfig,
     .verbs = kRunVerbs,
     .help =
         "Check everything, data included, print what would be done and stop.",
     .read = [](CommandLine& o) { o.arguments.dry_run = true; }},
    {.name = "try",
     .label = "[N]",
     .implied = "3",
     .group = Group::kConfig,
     .verbs = verb_set({Verb::kTrain}),
     .help = "Make N steps (3), evaluate N batches, save, resume, make N steps "
             "more, and look for the largest batch that fits; print memory, "
             "speed and the time of the whole run, and leave nothing behind.",
     .read =
         [](CommandLine& o) { o.arguments.trial.steps = o.count(1, 1000); }},
    {.name = "find_lr",
     .label = "[N]",
     .implied = "100",
     .group = Group::kConfig,
     .verbs = verb_set({Verb::kTrain}),
     .help = "Train N steps (100) with a learning rate that rises from 1e-6 to "
             "10, show the loss over it, and suggest optim.lr; leaves nothing "
             "behind.",
     .read =
         [](CommandLine& o) {
           o.arguments.trial.lr_steps = o.count(20, 100000);
         }},
    {.name = "origin",
     .group = Group::kConfig,
     .verbs = verb_set({Verb::kConfigShow}),
     .help = "Say behind each value which file or option set it.",
     .read = [](CommandLine& o) { o.arguments.origin = true; }},
    {.name = "allow_left_out",
     .group = Group::kConfig,
     .verbs = kForeignVerbs,
     .help = "Take the recipe also where arguments are left out that change "
             "the result (exit code 0 instead of 2).",
     .read = [](CommandLine& o) { o.arguments.allow_left_out = true; }},
    {.name = "dataset",
     .label = "KIND",
     .group = Group::kData,
     .help = "folder, list, tar, cifar, mnist, shapes, random or vectors: "
             "data.train.kind and data.eval.kind. cifar10, imagenet and "
             "other names of datasets mean the kind that reads them.",
     .read = read_dataset,
     .words = all_names<SourceKind>},
    {.name = "data_path",
     .label = "FOLDER",
     .group = Group::kData,
     .help = "Where the data is: train/ and val/ (or test/) below FOLDER; for "
             "list train_list.txt and val_list.txt in it; for tar train.tar or "
             "the archives in train/ and so on; for cifar and mnist FOLDER "
             "itself; for vectors train.npy or .csv and so on.",
     .read = [](CommandLine& o) { o.arguments.data_path = o.value; }},
    {.name = "batch_size",
     .label = "N",
     .group = Group::kData,
     .verbs = kDeviceVerbs,
     .help = "Samples per device, for training and evaluation; of predict "
             "images in a batch, by default 8 on a CPU and 64 on a GPU.",
     .read = read_batch_size},
    {.name = "batch_size_eval",
     .label = "N",
     .group = Group::kData,
     .help = "Samples per device, for evaluation only.",
     .key = "data.eval_batch_size"},
    {.name = "epoch",
     .label = "N",
     .group = Group::kLooking,
     .verbs = kEpochVerbs,
     .help = "The epoch, from 0 (the default).",
     .read = [](CommandLine& o) { o.data.epoch = o.count(0); }},
    {.name = "world",
     .label = "W",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataOrder}),
     .help = "Number of workers to list for; default: as training would start.",
     .read = [](CommandLine& o) { o.data.world = o.count(1); }},
    {.name = "rank",
     .label = "R",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataOrder}),
     .help = "The worker to list, from 0; default: all, batch by batch.",
     .read = [](CommandLine& o) { o.data.rank = o.count(0); }},
    {.name = "out",
     .label = "FILE",
     .group = Group::kLooking,
     .verbs = verb_set(
         {Verb::kDataCheck,
          Verb::kDataShow,
          Verb::kDataDump,
          Verb::kDataPack,
          Verb::kDataUnpack,
          Verb::kWeightsAverage}),
     .help = "What to write: the report as JSON (check), the contact sheet "
             "(show: a .png; default: sheet.png), the pixels as .npy (dump), "
             "the folder of the archives (pack) or of the files (unpack), the "
             "weights (average: a .safetensors).",
     .read = [](CommandLine& o) { o.data.out = o.value; }},
    {.name = "part",
     .label = "NAME",
     .group = Group::kWeights,
     .verbs = kWeightsVerbs,
     .help = "Which dictionary of a checkpoint file has the weights; default: "
             "averaged weights first, then the usual names.",
     .read = [](CommandLine& o) { o.arguments.weights.part = o.value; }},
    {.name = "names",
     .label = "NAMES",
     .group = Group::kWeights,
     .verbs = kWeightsVerbs | verb_set({Verb::kExport}),
     .help =
         "weights: whose names the tensors have, as model.pretrained_names "
         "says; default: auto. export: names of ONNX's input and output, as "
         "timm's input0,output0; default: images,logits.",
     .read = read_names},
    {.name = "shard_mb",
     .label = "N",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataPack}),
     .help = "An archive ends with the image that fills N MiB; default: 1024.",
     .read = [](CommandLine& o) { o.data.shard_mb = o.count(1); }},
    {.name = "count",
     .label = "N",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataShow}),
     .help = "Images on the sheet: the first N of the epoch; default: 64. Many "
             "are drawn smaller, so that the sheet stays below 8 Mi pixels.",
     .read = [](CommandLine& o) { o.data.count = o.count(1); }},
    {.name = "train",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataDump}),
     .help = "What training sees in -epoch, instead of evaluation.",
     .read = [](CommandLine& o) { o.data.train = true; }},
    {.name = "index",
     .label = "I",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataDump}),
     .help = "With -train: the first file is taken for sample I of the "
             "dataset, the next one for I + 1; default: 0.",
     .read = [](CommandLine& o) { o.data.index = o.count(0); }},
    {.name = "resize",
     .label = "N",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataDump}),
     .help =
         "Without a config: resize the shorter side to N pixels, at most 8192.",
     .read = [](CommandLine& o) { o.data.resize = o.count(1, kLargestSide); }},
    {.name = "filter",
     .label = "NAME",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataDump}),
     .help = "Without a config: the filter of -resize, a value of "
             "data.preprocess.interpolation; default: bicubic.",
     .read = [](CommandLine& o) { o.data.filter = o.choice(Filter::kBicubic); },
     .words = all_names<Filter>},
    {.name = "pillow",
     .label = "V",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataDump}),
     .help = "Without a config: whose -resize, a value of "
             "data.preprocess.pillow; default: 12.",
     .read = [](CommandLine& o) { o.data.pillow = o.count(12, 13); }},
    {.name = "crop",
     .label = "N",
     .group = Group::kLooking,
     .verbs = verb_set({Verb::kDataDump}),
     .help = "Without a config: cut N x N pixels out of the centre, after "
             "-resize if that is given; black where there are none.",
     .read = [](CommandLine& o) { o.data.crop = o.count(1, kLargestSide); }},
    {.name = "format",
     .label = "NAME",
     .group = Group::kExport,
     .verbs = verb_set({Verb::kExport}),
     .help = "safetensors (the weights, under timm's names), torchscript (for "
             "torch.jit.load) or onnx.",
     .read =
         [](CommandLine& o) {
           o.arguments.exports.format = o.choice(ExportFormat::kSafetensors);
         },
     .words = all_names<ExportFormat>},
    {.name = "top",
     .label = "N",
     .group = Group::kPredict,
     .verbs = kPredictVerb,
     .help = "Classes of each image, the most probable ones; default: 5.",
     .read = [](CommandLine& o) { o.arguments.predict.top = o.count(1); }},
    predict_file<&PredictArguments::csv>(
        "csv",
        "Write a table with a row for each image; -: to standard output."),
    predict_file<&PredictArguments::jsonl>("jsonl", "The same as JSON lines."),
    predict_file<&PredictArguments::features>(
        "features",
        "Write the classifier's inputs: a .npy or .safetensors."),
    predict_file<&PredictArguments::sheet>(
        "sheet",
        "Draw the first 100 images with their classes: a .png."),
    predict_file<&PredictArguments::classes>(
        "classes",
        "Names of the classes: one on each line, in the order of their "
        "numbers, or behind the name in the weights."),
    {.name = "sort",
     .label = "KEY",
     .group = Group::kRuns,
     .verbs = verb_set({Verb::kRuns}),
     .help = "Order of the list: started (the default, the newest last), name, "
             "state, result (the best first), loss, speed or time.",
     .read =
         [](CommandLine& o) {
           o.arguments.runs.order = o.choice(RunOrder::kStarted);
         },
     .words = all_names<RunOrder>},
    {.name = "json",
     .group = Group::kRuns,
     .verbs = verb_set({Verb::kRuns}),
     .help = "Print everything as JSON.",
     .read = [](CommandLine& o) { o.arguments.runs.json = true; }},
    {.name = "image_size",
     .label = "N",
     .group = Group::kModel,
     .verbs = kReadingVerbs,
     .help = "Side of the network's input in pixels, or [HEIGHT,WIDTH]: "
             "model.image_size.",
     .read = read_image_size},
    {.name = "pretrained",
     .label = "PATH",
     .group = Group::kModel,
     .verbs = kReadingVerbs,
     .help =
         "Weights to start from, to evaluate, to export or to predict with: a "
         "file of safetensors, PyTorch, NumPy (.npz) or PaddlePaddle, its path "
         "without extension, a checkpoint, a run, or timm:NAME of the local "
         "Hugging Face cache.",
     .key = "model.pretrained"},
    {.name = "accum_iter",
     .label = "N",
     .group = Group::kTraining,
     .verbs = kTrainingVerbs,
     .ignored = kEvalVerb,
     .help = "Micro-batches per optimizer step: train.accumulate.",
     .key = "train.accumulate"},
    {.name = "amp",
     .implied = "bf16",
     .group = Group::kTraining,
     .verbs = kTrainingVerbs,
     .ignored = kEvalVerb,
     .help = "bf16 arithmetic: train.precision: bf16.",
     .key = "train.precision"},
    {.name = "resume",
     .label = "[auto|PATH]",
     .implied = "auto",
     .group = Group::kTraining,
     .verbs = verb_set({Verb::kTrain}),
     .help = "Continue a run: the newest of this recipe in run.output, or a "
             "new one where there is none of its name (auto, the default); or "
             "the run or checkpoint folder PATH, whose recipe may change.",
     .read = read_resume},
    {.name = "take_over",
     .group = Group::kTraining,
     .verbs = verb_set({Verb::kTrain}),
     .help = "With -resume: take the run from a process that has it and shows "
             "no sign of life here, without waiting a minute for one; a "
             "process that is alive loses the run and ends.",
     .read = [](CommandLine& o) { o.arguments.take_over = true; }},
    {.name = "last_epoch",
     .label = "N",
     .group = Group::kTraining,
     .verbs = kTrainingVerbs,
     .ignored = kEvalVerb,
     .help = "As PaddleViT's scripts have it beside -resume; the checkpoint "
             "knows its epoch itself.",
     .read = read_last_epoch},
    {.name = "output",
     .label = "PATH",
     .group = Group::kTraining,
     .verbs = kOutputVerbs,
     .help = "Folder in which the run folder is made: run.output; of export, "
             "report and config from-... the file to write.",
     .read = read_output},
    {.name = "eval",
     .group = Group::kTraining,
     .verbs = kRunVerbs,
     .help = "Evaluate instead of training: the verb eval."},
    {.name = "devices",
     .label = "KIND[:N]",
     .group = Group::kDevices,
     .verbs = kDeviceVerbs,
     .help = "cpu, cpu:2, cuda (or gpu) or cuda:4: what to run on, one worker "
             "per device; a list of numbers is -gpus.",
     .read = read_devices,
     .words = all_names<DeviceKind>},
    {.name = "gpus",
     .label = "LIST",
     .group = Group::kDevices,
     .verbs = kDeviceVerbs,
     .help = "CUDA devices by index, UUID or MIG name, as in 0,2.",
     .read = [](CommandLine& o) { o.set_devices("cuda", "-1", o.value); }},
    {.name = "ngpus",
     .label = "N",
     .group = Group::kDevices,
     .verbs = kDeviceVerbs,
     .help = "The first N visible CUDA devices; -1: all there are.",
     .read =
         [](CommandLine& o) {
           o.set_devices(o.value == "-1" ? "auto" : "cuda", o.value);
         }},
    {.name = "np",
     .alias = "nproc_per_node",
     .label = "N",
     .group = Group::kDevices,
     .verbs = kDeviceVerbs,
     .local = true,
     .help =
         "N workers on this machine, on its CUDA devices or else on the CPU; "
         "with -hosts, on all machines together. Also -nproc_per_node.",
     .read = read_np},
    {.name = "nnodes",
     .label = "N",
     .group = Group::kMachines,
     .help = "Machines of the run: devices.nodes. Start the same command on "
             "each, with its own -node_rank.",
     .read = read_nnodes},
    {.name = "node_rank",
     .label = "R",
     .group = Group::kMachines,
     .verbs = kRunVerbs,
     .help = "Which of the machines this is, from 0.",
     .read = [](CommandLine& o) { o.launch.node_rank = o.count(0); }},
    {.name = "master",
     .label = "HOST:PORT",
     .group = Group::kMachines,
     .verbs = kRunVerbs,
     .local = true,
     .help = "Where the machines meet: an address of machine 0 and a free port "
             "on it.",
     .read = [](CommandLine& o) { o.launch.master = o.value; }},
    {.name = "hosts",
     .alias = "H",
     .label = "H1:N,H2:N",
     .group = Group::kMachines,
     .verbs = kRunVerbs,
     .local = true,
     .help = "Print the command for each host (N workers on it; without :N, "
             "one per device) instead of training; a single host that is this "
             "machine trains. Also -H.",
     .read = [](CommandLine& o) { o.launch.hosts = o.value; }},
    {.name = "ssh",
     .group = Group::kMachines,
     .verbs = kRunVerbs,
     .local = true,
     .help =
         "With -hosts: run these commands by ssh, in the same folder there.",
     .read = [](CommandLine& o) { o.launch.ssh = true; }},
    {.name = "launcher",
     .label = "NAME",
     .group = Group::kMachines,
     .verbs = kRunVerbs,
     .help = "Who started this process: auto (look at the environment), none "
             "(start workers), torchrun, paddle, horovodrun, openmpi, hydra or "
             "slurm.",
     .read = [](CommandLine& o) { o.launch.launcher = o.value; }},
    {.name = "max_restarts",
     .alias = "max_restart",
     .label = "N",
     .group = Group::kMachines,
     .verbs = kTrainingVerbs,
     .ignored = kEvalVerb,
     .help = "Start again up to N times after the death of a worker, from the "
             "last checkpoint: run.max_restarts; for workers that vitrain has "
             "started. Also -max_restart.",
     .key = "run.max_restarts"},
    {.name = "log_dir",
     .label = "FOLDER",
     .group = Group::kMachines,
     .help =
         "Folder of workerlog.N: log.folder; default: log/ in the run folder.",
     .key = "log.folder"},
    {.name = "help",
     .group = Group::kOther,
     .verbs = kAllVerbs,
     .help = "This text; after a verb, its own."},
    {.name = "version",
     .group = Group::kOther,
     .verbs = kAllVerbs,
     .help = "Versions of vitrain and of what it was built with."},
});

} // namespace

std::span<const Option> options() {
  return kOptions;
}

const Option* find_option(std::string_view name) {
  const auto found = std::ranges::find_if(kOptions, [&](const Option& option) {
    return name == option.name ||
        (name == option.alias && !option.alias.empty());
  });
  return found == kOptions.end() ? nullptr : &*found;
}

} // namespace vitrain::config
