#include "config/foreign/scripts.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

constexpr std::string_view kScriptEvaluates =
    "evaluates: vitrain -eval -pretrained FILE -cfg RECIPE";
constexpr std::string_view kScriptOfSwin =
    "is Swin's, whose YAML files and defaults are others (AdamW, lr 5e-4 for "
    "512 images); start from configs/imagenet_swin_tiny.yaml";
constexpr std::string_view kScriptOfDeit =
    "is DeiT's, whose defaults are others (AdamW, lr 5e-4 for 512 images); "
    "start from configs/imagenet_deit_small.yaml";

// A script that is not the program's, by the end of its path.
struct OtherScript {
  std::string_view path;
  std::string_view answer;
};

constexpr OtherScript kOtherScripts[] = {
    {"tools/train.py",
     "is mmpretrain's or PaddleClas's, which train from a config of their own; "
     "start from a recipe of configs/"},
    {"tools/dist_train.sh", "is mmpretrain's, which trains from a config"},
    {"validate.py", kScriptEvaluates},
    {"inference.py", "classifies: vitrain predict IMAGES -pretrained FILE"},
    {"benchmark.py", "measures: vitrain -cfg RECIPE -try"},
    {"main_pretrain.py", "is MAE's; see configs/imagenet_mae_pretrain.yaml"},
    {"main_finetune.py", "is MAE's; see configs/imagenet_mae_finetune.yaml"},
    {"main_linprobe.py", "is MAE's; see configs/imagenet_mae_finetune.yaml"},
};

bool has_word(
    std::span<const std::string> line,
    std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(line, [&](const std::string& word) {
    const std::string name = option_name(word.substr(0, word.find('=')));
    return is_option(word) && std::ranges::find(words, name) != words.end();
  });
}

// Returns the answer for another program's script; "" for the program's own
// script, or for one that may be a copy of it.
std::string_view other_script(
    std::string_view path,
    std::span<const std::string> line) {
  for (const OtherScript& other : kOtherScripts) {
    if (path.ends_with(other.path)) {
      return other.answer;
    }
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "main.py") {
    return has_word(line, {"cfg", "opts", "accumulation_steps", "zip"})
        ? kScriptOfSwin
        : has_word(
              line,
              {"data_path",
               "data_set",
               "output_dir",
               "unscale_lr",
               "repeated_aug",
               "distillation_type"})
        ? kScriptOfDeit
        : "is DeiT's, Swin's or PyTorch's example, whose defaults are others; "
          "start from a recipe of configs/";
  }
  const bool is_other = name.find("pretrain") != name.npos ||
      name.find("quantization") != name.npos;
  return name.find("train") != name.npos && !is_other
      ? ""
      : "is another script, whose words may mean something else; give its "
        "words alone if they are the same ones";
}

} // namespace

std::span<const std::string> arguments_of(
    const Program& program,
    std::span<const std::string> line) {
  const auto script = std::ranges::find_if(line, [](const std::string& word) {
    return !is_option(word) && (word.ends_with(".py") || word.ends_with(".sh"));
  });
  if (script == line.end()) {
    const auto module = std::ranges::find(line, "-m");
    if (!line.empty() && line.front().find("python") != std::string::npos &&
        line.end() - module >= 2) {
      return line.subspan(module - line.begin() + 2);
    }
    return line;
  }
  const std::string_view answer = other_script(*script, line);
  VITRAIN_CHECK(
      answer.empty(),
      ExitCode::kUsage,
      "{}: {} is translated here, and this {}",
      printable(*script),
      program.title,
      answer);
  auto rest = line.subspan(script - line.begin() + 1);
  std::int64_t processes = 0;
  if (script->ends_with(".sh") && !rest.empty() &&
      parse_int(rest.front(), processes)) {
    rest = rest.subspan(1);
  }
  return rest;
}

} // namespace vitrain::config::foreign
