#include "config/rules/source_rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/enum_names.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Returns true if every image of this kind of source has a name, by which it
// can be selected.
bool names_images(SourceKind kind) {
  return kind == SourceKind::kFolder || kind == SourceKind::kList ||
      kind == SourceKind::kTar;
}

bool is_label(SourceKind kind, const std::string& label) {
  if (kind == SourceKind::kCifar) {
    return label == "fine" || label == "coarse";
  }
  constexpr std::string_view kJson = "json:";
  return label == "cls" ||
      (label.starts_with(kJson) && label.size() > kJson.size());
}

} // namespace

void check_kind(
    const std::string& section,
    const SourceConfig& source,
    Checker& checker) {
  const SourceKind kind = source.kind;
  const std::vector<std::string> others{section + ".kind"};
  const bool has_names = kind == SourceKind::kFolder ||
      kind == SourceKind::kList || kind == SourceKind::kTar;
  checker.require(
      !source.class_map || has_names,
      section + ".class_map",
      fmt::format(
          "is for the kinds folder, list and tar, and has no effect on {}",
          name_of(kind)),
      others);
  const bool has_labels =
      kind == SourceKind::kCifar || kind == SourceKind::kTar;
  checker.require(
      !source.multi_label || kind == SourceKind::kList,
      section + ".multi_label",
      fmt::format("is for lists, and not for {}", name_of(kind)),
      others);
  checker.require(
      !source.label || has_labels,
      section + ".label",
      fmt::format(
          "is for the kinds cifar and tar, and has no effect on {}",
          name_of(kind)),
      others);
  checker.require(
      !source.label || !has_labels || is_label(kind, *source.label),
      section + ".label",
      fmt::format(
          "'{}' is no label of kind {}: expected {}",
          printable(source.label.value_or("")),
          name_of(kind),
          kind == SourceKind::kCifar ? "fine or coarse" : "cls or json:FIELD"),
      others);
}

namespace {

// Checks data.fraction and data.per_class.
void check_reduced(const DataConfig& data, Checker& checker) {
  const SourceKind kind = data.train.kind;
  const char* reduced = data.fraction ? "data.fraction" : "data.per_class";
  checker.require(
      !data.fraction || !data.per_class,
      "data.fraction",
      "chooses training data, and data.per_class does, too: set one of them",
      {"data.per_class"});
  checker.require(
      (!data.fraction && !data.per_class) || names_images(kind) ||
          (kind == SourceKind::kVectors && data.train.path),
      reduced,
      fmt::format(
          "is for folder, list, tar and files of vectors, and "
          "data.train.kind is {}",
          name_of(kind)),
      {"data.train.kind"});
}

void check_fold(const DataConfig& data, Checker& checker) {
  if (!data.fold) {
    return;
  }
  const auto [number, count] = *data.fold;
  checker.require(
      count > 1 && number <= count,
      "data.fold",
      fmt::format(
          "[{}, {}] is no part of at least two: give [k, n] with k from 1 "
          "to n",
          number,
          count));
  checker.require(
      data.split == 1.0 / static_cast<double>(count),
      "data.split",
      fmt::format("is not 1 / {}, the share of data.fold: leave it out", count),
      {"data.fold"});
  checker.require(
      !data.train.multi_label,
      "data.fold",
      "is for one label of each sample, and data.train.multi_label has any "
      "number: set data.split",
      {"data.train.multi_label"});
}

} // namespace

void check_split(const DataConfig& data, Checker& checker) {
  const SourceKind kind = data.train.kind;
  const std::vector<std::string> others{
      "data.train.kind", "data.train.path", "data.eval.kind", "data.eval.path"};
  checker.require(
      data.split || data.fraction || data.per_class || !data.split_seed,
      "data.split_seed",
      "is for data.split, data.fraction and data.per_class, which are null",
      {"data.split"});
  check_reduced(data, checker);
  check_fold(data, checker);
  if (!data.split) {
    return;
  }
  const bool images_by_name = names_images(kind);
  const bool own_test =
      kind == SourceKind::kCifar || kind == SourceKind::kMnist;
  checker.require(
      images_by_name || (kind == SourceKind::kVectors && data.train.path),
      "data.split",
      fmt::format(
          "is for folder, list, tar and files of vectors: {} {}",
          name_of(kind),
          own_test ? "comes with files for testing, which are evaluated"
                   : "is generated, and data.eval.seed makes other samples"),
      others);
  checker.require(
      data.eval.kind == kind && data.eval.path == data.train.path,
      "data.split",
      fmt::format(
          "holds out a part of data.train for evaluation, and data.eval.path: "
          "{} is there too: leave one of them out",
          printable(data.eval.path.value_or("null"))),
      others);
}

void check_label_lists(const Recipe& recipe, bool trains, Checker& checker) {
  const DataConfig& data = recipe.data;
  const bool lists = data.eval.multi_label;
  checker.require(
      !trains || data.train.multi_label == lists,
      "data.eval.multi_label",
      "is not as data.train.multi_label: set both",
      {"data.train.multi_label"});
  const auto refuse = [&](bool set, const char* key, const std::string& text) {
    checker.require(
        !lists || !set,
        key,
        text + ", which data.eval.multi_label has not",
        {"data.eval.multi_label", "data.train.multi_label"});
  };
  checker.require(
      !lists || is_binary(recipe.train.loss),
      "train.loss",
      fmt::format(
          "{} is for one label of each sample, and data.eval.multi_label has "
          "any number: set binary_cross_entropy, focal, asymmetric or zlpr",
          name_of(recipe.train.loss)),
      {"data.eval.multi_label"});
  const std::string one = "is for one label of each sample";
  refuse(recipe.eval.subset.has_value(), "eval.subset", one);
  refuse(recipe.eval.real_labels.has_value(), "eval.real_labels", one);
  const MetricInfo& metric = info_of(recipe.checkpoint.metric);
  refuse(
      metric.of_classes && !metric.of_label_lists,
      "checkpoint.metric",
      fmt::format("{} {}", metric.name, one));
  checker.require(
      lists || !metric.of_label_lists,
      "checkpoint.metric",
      fmt::format("{} needs data.eval.multi_label", metric.name),
      {"data.eval.multi_label"});
  if (!trains) {
    return;
  }
  refuse(recipe.train.label_smoothing > 0.0, "train.label_smoothing", one);
  refuse(
      recipe.train.class_balance != ClassBalance::kNone,
      "train.class_balance",
      one);
  refuse(recipe.train.distill.active(), "train.distill.type", one);
  refuse(
      data.sampler.policy == SamplerPolicy::kWeighted &&
          data.sampler.weights == "balanced",
      "data.sampler.weights",
      one);
}

void check_evaluation(const Recipe& recipe, Checker& checker) {
  const SourceKind kind = recipe.data.eval.kind;
  const EvalConfig& eval = recipe.eval;
  const auto require = [&](const char* key, bool set) {
    checker.require(
        !set || (names_images(kind) && has_classes(recipe.train.loss)),
        key,
        fmt::format(
            "is for classes of images in a folder, a list or tar files, and "
            "data.eval.kind is {}, train.loss {}: set null",
            name_of(kind),
            name_of(recipe.train.loss)),
        {"data.eval.kind", "train.loss"});
  };
  require("eval.subset", eval.subset.has_value());
  require("eval.real_labels", eval.real_labels.has_value());
  checker.require(
      !info_of(recipe.checkpoint.metric).of_real_labels || eval.real_labels,
      "checkpoint.metric",
      fmt::format(
          "{} needs eval.real_labels, which is null",
          name_of(recipe.checkpoint.metric)),
      {"eval.real_labels"});
}

void check_pixels(const PreprocessConfig& preprocess, Checker& checker) {
  const auto check_scale = [&](const char* key,
                               const std::array<double, 3>& values) {
    const double largest = *std::ranges::max_element(values);
    checker.require(
        largest <= 1.0,
        key,
        fmt::format(
            "{} is for pixels in [0, 255], and here they are in [0, 1]: divide "
            "by 255, which gives [{:.4g}, {:.4g}, {:.4g}]",
            shortest(largest),
            values[0] / 255.0,
            values[1] / 255.0,
            values[2] / 255.0));
  };
  check_scale("data.preprocess.mean", preprocess.mean);
  check_scale("data.preprocess.std", preprocess.std);
  const auto& range = preprocess.range;
  checker.require(
      !range || (*range)[0] < (*range)[1],
      "data.preprocess.range",
      "is empty: its second value, which becomes white, has to be larger than "
      "the first one; try: [0, 65535]");
}

} // namespace vitrain::config
