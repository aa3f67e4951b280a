#include "config/command_line/option_table.h"

#include <array>

namespace vitrain::config::detail {
namespace {

constexpr VerbSet kEpochs =
    verb_set({Verb::kDataOrder, Verb::kDataShow, Verb::kDataDump});

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
        "folder, list, tar, cifar, mnist, shapes, random or vectors: "
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
        "train_list.txt and val_list.txt in it; for tar train.tar or the "
        "archives in train/ and so on; for cifar and mnist FOLDER itself; for "
        "vectors train.npy or .csv and so on."},
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
        "Looking at data",
        kEpochs,
        kNobody,
        "The epoch, from 0 (the default)."},
    Option{
        OptionId::kWorld,
        "world",
        kRequired,
        "W",
        "Looking at data",
        verb_set({Verb::kDataOrder}),
        kNobody,
        "Number of workers to list for; default: as training would start."},
    Option{
        OptionId::kRank,
        "rank",
        kRequired,
        "R",
        "Looking at data",
        verb_set({Verb::kDataOrder}),
        kNobody,
        "The worker to list, from 0; default: all, batch by batch."},
    Option{
        OptionId::kOut,
        "out",
        kRequired,
        "FILE",
        "Looking at data",
        verb_set(
            {Verb::kDataCheck,
             Verb::kDataShow,
             Verb::kDataDump,
             Verb::kDataPack,
             Verb::kDataUnpack}),
        kNobody,
        "What to write: the report as JSON (check), the contact sheet (show: "
        "a .png; default: sheet.png), the pixels as .npy (dump), the folder of "
        "the "
        "archives (pack) or of the files (unpack)."},
    Option{
        OptionId::kShardMb,
        "shard_mb",
        kRequired,
        "N",
        "Looking at data",
        verb_set({Verb::kDataPack}),
        kNobody,
        "An archive ends with the image that fills N MiB; default: 1024."},
    Option{
        OptionId::kCount,
        "count",
        kRequired,
        "N",
        "Looking at data",
        verb_set({Verb::kDataShow}),
        kNobody,
        "Images on the sheet: the first N of the epoch; default: 64. Many are "
        "drawn smaller, so that the sheet stays below 8 Mi pixels."},
    Option{
        OptionId::kTrainPixels,
        "train",
        kNone,
        "",
        "Looking at data",
        verb_set({Verb::kDataDump}),
        kNobody,
        "What training sees in -epoch, instead of evaluation."},
    Option{
        OptionId::kIndex,
        "index",
        kRequired,
        "I",
        "Looking at data",
        verb_set({Verb::kDataDump}),
        kNobody,
        "With -train: the first file is taken for sample I of the dataset, the "
        "next one for I + 1; default: 0."},
    Option{
        OptionId::kResizeTo,
        "resize",
        kRequired,
        "N",
        "Looking at data",
        verb_set({Verb::kDataDump}),
        kNobody,
        "Without a config: resize the shorter side to N pixels, at most "
        "8192."},
    Option{
        OptionId::kFilter,
        "filter",
        kRequired,
        "NAME",
        "Looking at data",
        verb_set({Verb::kDataDump}),
        kNobody,
        "Without a config: the filter of -resize, a value of "
        "data.preprocess.interpolation; default: bicubic."},
    Option{
        OptionId::kPillow,
        "pillow",
        kRequired,
        "V",
        "Looking at data",
        verb_set({Verb::kDataDump}),
        kNobody,
        "Without a config: whose -resize, a value of data.preprocess.pillow; "
        "default: 12."},
    Option{
        OptionId::kCropTo,
        "crop",
        kRequired,
        "N",
        "Looking at data",
        verb_set({Verb::kDataDump}),
        kNobody,
        "Without a config: cut N x N pixels out of the centre, after "
        "-resize if that is given; black where there are none."},
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
        "Weights to start from or to evaluate: a .safetensors file, a "
        "checkpoint folder, the file best or latest beside it, or a run "
        "folder."},
};

} // namespace

std::span<const Option> recipe_options() {
  return kOptions;
}

} // namespace vitrain::config::detail
