#include <algorithm>
#include <array>

#include "config/command_line/options.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

constexpr auto kVerbs = std::to_array<VerbInfo>({
    {.verb = Verb::kTrain,
     .words = "train",
     .summary = "Train the recipe, evaluating as it says (the default verb).",
     .examples = "  vitrain -cfg configs/shapes_vit_tiny.yaml\n"
                 "  vitrain -cfg configs/cifar10_vit.yaml -data_path "
                 "data/cifar10-jpg -gpus 0,1\n"
                 "  vitrain -cfg configs/cifar10_vit.yaml -data_path "
                 "data/cifar10-jpg -set optim.lr=5e-4 \\\n"
                 "      -set run.epochs=20\n"
                 "  vitrain -cfg configs/cifar10_vit.yaml -data_path "
                 "data/cifar10-jpg -resume\n"},
    {.verb = Verb::kEval,
     .words = "eval",
     .summary =
         "Evaluate weights: loss, top-1 and top-5, each sample counted once.",
     .examples =
         "  vitrain -cfg configs/cifar10_vit.yaml -eval -data_path "
         "data/cifar10-jpg \\\n"
         "      -pretrained runs/cifar10_vit-20250101-120000/checkpoints/best\n"
         "  vitrain eval -cfg configs/imagenet_vit_small.yaml -data_path "
         "/data/imagenet \\\n"
         "      -pretrained vit_small.safetensors -batch_size 256\n"},
    {.verb = Verb::kConfigCheck,
     .words = "config check",
     .summary = "Check a recipe and list everything that is wrong with it.",
     .examples = "  vitrain config check -cfg configs/cifar10_vit.yaml "
                 "-data_path data/cifar10-jpg\n"},
    {.verb = Verb::kConfigShow,
     .words = "config show",
     .summary =
         "Print the resolved recipe: defaults, base files, file and options.",
     .examples = "  vitrain config show -cfg configs/cifar10_vit.yaml -origin\n"
                 "  vitrain config show -cfg configs/cifar10_vit.yaml -set "
                 "optim.lr=5e-4 > resolved.yaml\n"},
    {.verb = Verb::kConfigReference,
     .words = "config reference",
     .summary = "Print every key with default, allowed values and meaning.",
     .examples = "  vitrain config reference > docs/config.md\n"},
    {.verb = Verb::kConfigFromTimm,
     .words = "config from-timm",
     .summary = "Translate the arguments of timm's train.py to a recipe, and "
                "list what it leaves out.",
     .examples = "  vitrain config from-timm args.yaml -output recipe.yaml\n"
                 "  vitrain config from-timm -- /data/imagenet --model "
                 "resnet50 --opt sgd --lr 0.5\n",
     .files = "ARGS"},
    {.verb = Verb::kConfigFromTorchvision,
     .words = "config from-torchvision",
     .summary = "Translate a command of torchvision's "
                "references/classification/train.py to a recipe.",
     .examples = "  vitrain config from-torchvision '--model resnet50 "
                 "--batch-size 128 --lr 0.5'\n"
                 "  vitrain config from-torchvision train.sh -output "
                 "recipe.yaml\n",
     .files = "ARGS"},
    {.verb = Verb::kDataOrder,
     .words = "data order",
     .summary =
         "Print the indices of the samples of each micro-batch of an epoch.",
     .examples = "  vitrain data order -cfg configs/shapes_vit_tiny.yaml "
                 "-epoch 3 -devices cpu:2\n"},
    {.verb = Verb::kDataCheck,
     .words = "data check",
     .summary = "Read every sample: corrupt files, defects, duplicates, sizes, "
                "formats, classes.",
     .examples = "  vitrain data check -cfg configs/cifar10_vit.yaml "
                 "-data_path data/cifar10-jpg\n"
                 "  vitrain data check -cfg configs/imagenet_vit_small.yaml "
                 "-data_path /data/imagenet \\\n"
                 "      -out report.json\n"},
    {.verb = Verb::kDataShow,
     .words = "data show",
     .summary = "Write a sheet of images as training sees them, augmented.",
     .examples = "  vitrain data show -cfg configs/cifar10_vit.yaml -data_path "
                 "data/cifar10-jpg \\\n"
                 "      -epoch 3 -count 100 -out sheet.png\n"},
    {.verb = Verb::kDataDump,
     .words = "data dump",
     .summary =
         "Write the pixels that evaluation or training sees of some files.",
     .examples = "  vitrain data dump a.jpg b.png -out pixels.npy -resize 256 "
                 "-filter bicubic -crop 224\n"
                 "  vitrain data dump a.jpg -cfg "
                 "configs/imagenet_vit_small.yaml -out eval.npy\n"
                 "  vitrain data dump a.jpg -cfg "
                 "configs/imagenet_vit_small.yaml -out train.npy \\\n"
                 "      -train -epoch 3 -index 17\n",
     .files = "FILES..."},
    {.verb = Verb::kDataPack,
     .words = "data pack",
     .summary = "Pack the JPEG files of a dataset into archives that load "
                "several times faster, without loss.",
     .examples = "  vitrain data pack -cfg configs/imagenet_vit_small.yaml "
                 "-data_path /data/imagenet -out /data/packed\n"},
    {.verb = Verb::kDataUnpack,
     .words = "data unpack",
     .summary = "Write the files in such archives as they were.",
     .examples = "  vitrain data unpack /data/packed/train-000000.tar -out "
                 "/data/files\n",
     .files = "FILES..."},
    {.verb = Verb::kDevices,
     .words = "devices",
     .summary = "List the devices that training would see.",
     .examples = "  CUDA_VISIBLE_DEVICES=0,1 vitrain devices\n"},
    {.verb = Verb::kModels,
     .words = "models",
     .summary = "List the models that model.name can be, or those with a word "
                "in the name: size, cost, pixels.",
     .examples = "  vitrain models\n"
                 "  vitrain models tiny\n"
                 "  vitrain models 'swin_*' resnet50\n",
     .files = "NAMES..."},
    {.verb = Verb::kWeightsShow,
     .words = "weights show",
     .summary = "List the tensors of files of weights, under timm's names.",
     .examples = "  vitrain weights show vit_small.pth\n"
                 "  vitrain weights show deit.pth -part model\n",
     .files = "FILES..."},
    {.verb = Verb::kWeightsDiff,
     .words = "weights diff",
     .summary = "Compare the tensors of two files of weights: exit code 1 "
                "where they differ.",
     .examples = "  vitrain weights diff a.pth b.safetensors\n",
     .files = "FILE FILE"},
    {.verb = Verb::kWeightsConvert,
     .words = "weights convert",
     .summary = "Write weights of PyTorch, NumPy, PaddlePaddle or another "
                "program as safetensors with timm's names.",
     .examples = "  vitrain weights convert swin.pdparams swin.safetensors\n"
                 "  vitrain weights convert B_16.npz vit_base.safetensors\n",
     .files = "IN OUT"},
    {.verb = Verb::kWeightsAverage,
     .words = "weights average",
     .summary = "Average the weights of several files (checkpoints of a run, "
                "a model soup).",
     .examples = "  vitrain weights average a.safetensors b.safetensors -out "
                 "soup.safetensors\n",
     .files = "FILES..."},
    {.verb = Verb::kWeightsFetch,
     .words = "weights fetch",
     .summary = "Download published weights from the Hugging Face hub into its "
                "cache, where -pretrained finds them.",
     .examples = "  vitrain weights fetch resnet50.a1_in1k\n"
                 "  vitrain weights fetch google/vit-base-patch16-224\n",
     .files = "NAMES..."},
    {.verb = Verb::kExport,
     .words = "export",
     .summary = "Write a trained network for other programs: safetensors, "
                "TorchScript, ONNX.",
     .examples =
         "  vitrain export runs/cifar10_vit-20250101-120000 -format onnx "
         "-output vit.onnx\n"
         "  vitrain export -pretrained resnet50.pth -set model.name=resnet50 "
         "-set model.num_classes=1000 \\\n"
         "      -format torchscript -output resnet50.pt\n",
     .files = "[RUN]"},
    {.verb = Verb::kPredict,
     .words = "predict",
     .summary = "Say what images show: files, folders, archives, lists "
                "(@FILE), or names on standard input (-).",
     .examples =
         "  vitrain predict cat.jpg -pretrained "
         "runs/cifar10_vit-20250101-120000\n"
         "  vitrain predict photos/ more.tar -pretrained "
         "runs/cifar10_vit-20250101-120000 \\\n"
         "      -csv predictions.csv -sheet predictions.png\n"
         "  find . -name '*.jpg' | vitrain predict - -pretrained "
         "resnet50.pth -set model.name=resnet50 \\\n"
         "      -set model.num_classes=1000 -classes imagenet.txt -jsonl -\n",
     .files = "IMAGES..."},
    {.verb = Verb::kReport,
     .words = "report",
     .summary = "Write a page that any browser shows: one run, or several "
                "compared.",
     .examples = "  vitrain report runs/cifar10_vit-20250101-120000\n"
                 "  vitrain report runs/a-20250101-120000 "
                 "runs/b-20250101-130000 -output compared.html\n",
     .files = "RUNS..."},
    {.verb = Verb::kRuns,
     .words = "runs",
     .summary =
         "List the runs in a folder: state, result, speed, time, and the "
         "settings that differ.",
     .examples = "  vitrain runs\n"
                 "  vitrain runs /data/runs -sort result\n"
                 "  vitrain runs -json\n",
     .files = "[FOLDER]"},
    {.verb = Verb::kShow,
     .words = "show",
     .summary = "Print what a run reached, and its curves, in the terminal.",
     .examples = "  vitrain show runs/cifar10_vit-20250101-120000\n",
     .files = "RUNS..."},
    {.verb = Verb::kCompletion,
     .words = "completion",
     .summary = "Print what makes a shell complete vitrain's verbs, options, "
                "keys and values: bash, zsh or fish.",
     .examples = "  vitrain completion bash > "
                 "~/.local/share/bash-completion/completions/vitrain\n"
                 "  vitrain completion zsh > "
                 "/usr/local/share/zsh/site-functions/_vitrain\n"
                 "  vitrain completion fish > "
                 "~/.config/fish/completions/vitrain.fish\n",
     .files = "SHELL"},
    {.verb = Verb::kMan,
     .words = "man",
     .summary = "Print the manual page.",
     .examples = "  vitrain man | man -l -\n"},
});

} // namespace

std::span<const VerbInfo> verbs() {
  return kVerbs;
}

const VerbInfo* find_verb(std::span<const std::string> words) {
  for (const VerbInfo& info : kVerbs) {
    const std::vector<std::string> parts = split(info.words, ' ');
    if (words.size() >= parts.size() &&
        std::ranges::equal(parts, words.first(parts.size()))) {
      return &info;
    }
  }
  return nullptr;
}

std::vector<std::string> verb_words(std::string_view first) {
  std::vector<std::string> found;
  for (const VerbInfo& info : kVerbs) {
    const std::vector<std::string> parts = split(info.words, ' ');
    if (first.empty() && (found.empty() || found.back() != parts[0])) {
      found.push_back(parts[0]);
    } else if (parts[0] == first) {
      found.insert(found.end(), parts.begin() + 1, parts.end());
    }
  }
  return found;
}

const VerbInfo& info_of(Verb verb) {
  return *std::ranges::find(kVerbs, verb, &VerbInfo::verb);
}

} // namespace vitrain::config
