#include "config/command_line/option_table.h"

#include <array>

namespace vitrain::config::detail {
namespace {

constexpr std::array kOptions{
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
        "Continue a run: the newest of this recipe in run.output, or a new one "
        "where there is none of its name (auto, the default); or the run or "
        "checkpoint folder PATH, whose recipe may change."},
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
        "cpu, cpu:2, cuda (or gpu) or cuda:4: what to run on, one worker per "
        "device; a list of numbers is -gpus."},
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
        "device) instead of training; a single host that is this machine "
        "trains. Also -H."},
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
        "checkpoint: run.max_restarts; for workers that vitrain has started. "
        "Also -max_restart."},
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

} // namespace

std::span<const Option> run_options() {
  return kOptions;
}

} // namespace vitrain::config::detail
