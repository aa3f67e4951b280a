#include <algorithm>

#include <fmt/format.h>

#include "config/command_line/arguments.h"
#include "config/command_line/options.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kLabelColumns = 26; // with the indentation

// `text` in lines that fit behind `indent` columns.
std::string wrap(std::string_view text, std::size_t indent) {
  std::string wrapped;
  std::size_t column = indent;
  for (const std::string& word : split(text, ' ')) {
    if (column + word.size() + 1 > kColumns && column > indent) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      wrapped += " ";
      ++column;
    }
    wrapped += word;
    column += word.size();
  }
  return wrapped;
}

std::string row(const std::string& label, std::string_view text) {
  return fmt::format(
      "  {:<{}}{}\n", label, kLabelColumns - 2, wrap(text, kLabelColumns));
}

std::string option_rows(VerbSet wanted) {
  std::string text;
  std::string_view group;
  for (const Option& option : options()) {
    if ((option.verbs & wanted) == 0) {
      continue;
    }
    if (option.group != group) {
      group = option.group;
      text += fmt::format("\n{}\n", group);
    }
    text +=
        row(fmt::format(
                "-{}{}{}",
                option.name,
                option.label.empty() ? "" : " ",
                option.label),
            option.help);
  }
  return text;
}

std::string examples(Verb verb) {
  switch (verb) {
    case Verb::kTrain:
      return "  vitrain -cfg configs/shapes_vit_tiny.yaml\n"
             "  vitrain -cfg configs/cifar10_vit.yaml -data_path "
             "data/cifar10-jpg -gpus 0,1\n"
             "  vitrain -cfg configs/cifar10_vit.yaml -data_path "
             "data/cifar10-jpg -set optim.lr=5e-4 \\\n"
             "      -set run.epochs=20\n"
             "  vitrain -cfg configs/cifar10_vit.yaml -data_path "
             "data/cifar10-jpg -resume\n";
    case Verb::kEval:
      return "  vitrain -cfg configs/cifar10_vit.yaml -eval -data_path "
             "data/cifar10-jpg \\\n"
             "      -pretrained "
             "runs/cifar10_vit-20250101-120000/checkpoints/best\n"
             "  vitrain eval -cfg configs/imagenet_vit_small.yaml -data_path "
             "/data/imagenet \\\n"
             "      -pretrained vit_small.safetensors -batch_size 256\n";
    case Verb::kConfigCheck:
      return "  vitrain config check -cfg configs/cifar10_vit.yaml -data_path "
             "data/cifar10-jpg\n";
    case Verb::kConfigShow:
      return "  vitrain config show -cfg configs/cifar10_vit.yaml -origin\n"
             "  vitrain config show -cfg configs/cifar10_vit.yaml -set "
             "optim.lr=5e-4 > resolved.yaml\n";
    case Verb::kConfigReference:
      return "  vitrain config reference > docs/config.md\n";
    case Verb::kDataOrder:
      return "  vitrain data order -cfg configs/shapes_vit_tiny.yaml -epoch 3 "
             "-devices cpu:2\n";
    case Verb::kDataCheck:
      return "  vitrain data check -cfg configs/cifar10_vit.yaml -data_path "
             "data/cifar10-jpg\n"
             "  vitrain data check -cfg configs/imagenet_vit_small.yaml "
             "-data_path /data/imagenet \\\n"
             "      -out report.json\n";
    case Verb::kDataShow:
      return "  vitrain data show -cfg configs/cifar10_vit.yaml -data_path "
             "data/cifar10-jpg \\\n"
             "      -epoch 3 -count 100 -out sheet.png\n";
    case Verb::kDataDump:
      return "  vitrain data dump a.jpg b.png -out pixels.npy -resize 256 "
             "-filter bicubic -crop 224\n"
             "  vitrain data dump a.jpg -cfg configs/imagenet_vit_small.yaml "
             "-out eval.npy\n"
             "  vitrain data dump a.jpg -cfg configs/imagenet_vit_small.yaml "
             "-out train.npy \\\n"
             "      -train -epoch 3 -index 17\n";
    case Verb::kDataPack:
      return "  vitrain data pack -cfg configs/imagenet_vit_small.yaml "
             "-data_path /data/imagenet -out /data/packed\n";
    case Verb::kDataUnpack:
      return "  vitrain data unpack /data/packed/train-000000.tar -out "
             "/data/files\n";
    case Verb::kDevices:
      return "  CUDA_VISIBLE_DEVICES=0,1 vitrain devices\n";
    case Verb::kModels:
      return "  vitrain models\n";
  }
  return "";
}

constexpr const char* kSpelling =
    "\nOne dash or two, _ or - in names, `-name value` or `-name=value`.\n";

} // namespace

std::string help() {
  std::string text =
      "vitrain trains and evaluates image classifiers from one YAML file, on "
      "every device it sees.\n"
      "\nUsage\n"
      "  vitrain -cfg FILE [options]                     train\n"
      "  vitrain -cfg FILE -eval -pretrained WEIGHTS     evaluate\n"
      "  vitrain VERB [options]\n"
      "\nVerbs (vitrain VERB --help says more)\n";
  for (const VerbInfo& info : verbs()) {
    text += row(std::string(info.words), info.summary);
  }
  text += "\nExamples\n" + examples(Verb::kTrain) + examples(Verb::kEval);
  text += option_rows(verb_set({Verb::kTrain, Verb::kEval}));
  text += kSpelling;
  text += "CUDA_VISIBLE_DEVICES selects the devices; without any, workers run "
          "on the CPU.\n"
          "Exit codes: 0 done, 2 usage or config, 3 data, 4 weights, 5 "
          "non-finite, 6 out of memory,\n"
          "7 a worker died, 8 storage, 75 stopped with a complete checkpoint "
          "(run again to continue).\n";
  return text;
}

std::string help(Verb verb) {
  const auto info = std::ranges::find(verbs(), verb, &VerbInfo::verb);
  const bool needs_cfg =
      info->files.empty() && contains(options().front().verbs, verb);
  return fmt::format(
      "{}\n\nUsage\n  vitrain {}{}{} [options]\n\nExamples\n{}{}{}",
      info->summary,
      info->words,
      info->files.empty() ? "" : " " + std::string(info->files),
      needs_cfg ? " -cfg FILE" : "",
      examples(verb),
      option_rows(verb_set({verb})),
      kSpelling);
}

} // namespace vitrain::config
