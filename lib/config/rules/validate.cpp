#include "config/rules/validate.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "config/rules/dist_rules.h"
#include "config/rules/optim_rules.h"
#include "config/rules/source_rules.h"
#include "config/rules/stages.h"
#include "core/enum_names.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

class Validator {
 public:
  Validator(const Recipe& recipe, const CheckContext& context)
      : recipe_(recipe), context_(context) {}

  std::vector<Finding> run() {
    check_devices();
    check_model();
    check_source("data.eval", recipe_.data.eval, "evaluation");
    check_loss("data.eval", recipe_.data.eval);
    check_pixels(recipe_.data.preprocess, checker_);
    check_split(recipe_.data, checker_);
    check_evaluation(recipe_, checker_);
    check_label_lists(recipe_, context_.training, checker_);
    if (context_.training) {
      check_source("data.train", recipe_.data.train, "training");
      check_loss("data.train", recipe_.data.train);
      check_without_classes();
      check_generated();
      check_training();
      checker_.add(check_optim(recipe_));
      checker_.add(check_dist(recipe_, context_));
      checker_.add(check_image_changes(recipe_, context_));
    }
    return checker_.take();
  }

 private:
  void check_devices() {
    const DevicesConfig& devices = recipe_.devices;
    const auto named = static_cast<std::int64_t>(devices.ids.size());
    checker_.require(
        named == 0 || devices.kind != DeviceKind::kCpu,
        "devices.ids",
        "names CUDA devices, but devices.kind is cpu: empty the list, or set "
        "devices.count for CPU workers",
        {"devices.kind"});
    checker_.require(
        named == 0 || devices.count == -1 || devices.count == named,
        "devices.count",
        fmt::format(
            "is {}, but devices.ids names {}: set -1, or the same number",
            devices.count,
            named),
        {"devices.ids"});
    std::vector<std::string> ids = devices.ids;
    std::ranges::sort(ids);
    const auto twin = std::ranges::adjacent_find(ids);
    const Backend backend = recipe_.dist.backend;
    checker_.require(
        twin == ids.end() || backend == Backend::kGloo ||
            recipe_.dist.mode == DistMode::kSingleProcess,
        "devices.ids",
        twin == ids.end() ? ""
                          : fmt::format(
                                "names device {} twice: two workers on one "
                                "device need dist.backend: gloo",
                                printable(*twin)),
        {"dist.backend", "dist.mode"});
    checker_.require(
        backend != Backend::kNccl || context_.cuda,
        "dist.backend",
        "nccl works between CUDA devices only, and the workers run on the CPU: "
        "use auto or gloo",
        {"devices"});
    const bool train_precision_counts =
        context_.training || recipe_.eval.precision == Precision::kAuto;
    if (train_precision_counts) {
      check_precision("train.precision", recipe_.train.precision);
    }
    check_precision("eval.precision", recipe_.eval.precision);
  }

  // Checks that tf32 and fp16 are used only on CUDA devices.
  void check_precision(const char* key, Precision precision) {
    checker_.require(
        context_.cuda ||
            (precision != Precision::kTf32 && precision != Precision::kFp16),
        key,
        fmt::format(
            "{} is a mode of CUDA devices, and the workers run on the CPU: use "
            "auto, fp32 or bf16",
            name_of(precision)),
        {"devices"});
  }

  void check_model() {
    const ModelConfig& model = recipe_.model;
    checker_.require(
        context_.training || model.pretrained.has_value(),
        "model.pretrained",
        "evaluation needs weights: give -pretrained PATH (a file of weights, a "
        "checkpoint or a run)");
    checker_.require(
        model.head_init != HeadInit::kLoad || model.pretrained.has_value(),
        "model.head_init",
        "load needs model.pretrained, which is null",
        {"model.pretrained"});
    checker_.require(
        context_.training || model.head_init != HeadInit::kFresh,
        "model.head_init",
        "fresh puts random numbers in the classifier's place, and an "
        "evaluation would score those: set auto or load");
  }

  void check_source(
      const std::string& section,
      const SourceConfig& source,
      const char* purpose) {
    check_kind(section, source, checker_);
    if (is_generated(source)) {
      return;
    }
    const char* inside = source.kind == SourceKind::kFolder
        ? " (with train/ and val/ or test/ in it)"
        : source.kind == SourceKind::kList
        ? " (with train_list.txt and val_list.txt, or train.csv and val.csv, "
          "in it)"
        : source.kind == SourceKind::kTar
        ? " (with train.tar and val.tar, or folders of tar files, in it)"
        : "";
    checker_.require(
        source.path.has_value() && !source.path->empty(),
        section + ".path",
        fmt::format(
            "kind {} needs the path of the {} data: set it, or give -data_path "
            "FOLDER{}",
            name_of(source.kind),
            purpose,
            inside),
        {section + ".kind"});
  }

  // Checks that train.loss is a loss of target numbers exactly if the data are
  // vectors.
  void check_loss(const std::string& section, const SourceConfig& source) {
    const bool vectors = source.kind == SourceKind::kVectors;
    checker_.require(
        vectors == is_regression(recipe_.train.loss),
        "train.loss",
        vectors ? fmt::format(
                      "{}, but {}.kind: vectors has targets instead of "
                      "classes: set mse, l1 or huber",
                      name_of(recipe_.train.loss),
                      section)
                : fmt::format(
                      "{} is for targets, but {}.kind: {} has classes: set "
                      "cross_entropy, or take vectors",
                      name_of(recipe_.train.loss),
                      section,
                      name_of(source.kind)),
        {section + ".kind"});
  }

  void check_without_classes() {
    const LossKind loss = recipe_.train.loss;
    const bool classes = has_classes(loss);
    checker_.require(
        classes || !info_of(recipe_.checkpoint.metric).of_classes,
        "checkpoint.metric",
        fmt::format(
            "{} needs classes, which train.loss: {} has not: set loss",
            name_of(recipe_.checkpoint.metric),
            name_of(loss)),
        {"train.loss"});
    checker_.require(
        classes || recipe_.train.label_smoothing == 0.0,
        "train.label_smoothing",
        fmt::format(
            "is for classes, which train.loss: {} has not: set 0",
            name_of(loss)),
        {"train.loss"});
    const SamplerConfig& sampler = recipe_.data.sampler;
    checker_.require(
        !is_regression(loss) || sampler.policy != SamplerPolicy::kWeighted ||
            sampler.weights != "balanced",
        "data.sampler.weights",
        "balanced is for classes, which data.train.kind: vectors has not: "
        "name a file with a weight for each row",
        {"train.loss", "data.sampler.policy"});
  }

  void check_generated() {
    const SourceConfig& train = recipe_.data.train;
    const SourceConfig& eval = recipe_.data.eval;
    const bool both =
        is_generated(train) && is_generated(eval) && eval.kind == train.kind;
    checker_.require(
        !both || train.seed != eval.seed,
        "data.eval.seed",
        fmt::format(
            "is {}, the seed of the training data too: evaluation would use "
            "samples of the training set",
            eval.seed),
        {"data.train.kind",
         "data.train.path",
         "data.train.seed",
         "data.eval.kind",
         "data.eval.path"});
  }

  void check_training() {
    const ScheduleConfig& schedule = recipe_.schedule;
    checker_.require(
        !schedule.paddle_exact_schedule ||
            schedule.unit == ScheduleUnit::kEpoch,
        "schedule.paddle_exact_schedule",
        "is about epochs: needs schedule.unit: epoch",
        {"schedule.unit"});
    check_class_weights();
    check_mirror();
    check_pruning();
    checker_.require(
        schedule.milestones.empty() || schedule.name == ScheduleKind::kStep,
        "schedule.milestones",
        fmt::format(
            "are drops of schedule.name: step, and it is {}",
            name_of(schedule.name)),
        {"schedule.name"});
    const Duration& warmup = schedule.warmup;
    const RunConfig& run = recipe_.run;
    checker_.require(
        warmup.unit != Duration::Unit::kEpochs ||
            warmup.value <= static_cast<double>(run.epochs),
        "schedule.warmup",
        fmt::format(
            "{} is more than run.epochs: {}: train longer, or, for a short "
            "trial, add -set schedule.warmup=0st",
            warmup.text(),
            run.epochs),
        {"run.epochs"});
    checker_.require(
        warmup.unit != Duration::Unit::kSteps || !run.max_steps ||
            warmup.value <= static_cast<double>(*run.max_steps),
        "schedule.warmup",
        fmt::format(
            "{} is more than run.max_steps: {}: train longer, or, for a short "
            "trial, add -set schedule.warmup=0st",
            warmup.text(),
            run.max_steps.value_or(0)),
        {"run.max_steps"});
  }

  void check_pruning() {
    const PruneConfig& prune = recipe_.train.prune;
    checker_.require(
        !prune.active() || prune.unit == PruneUnit::kWeight ||
            prune.scope == PruneScope::kLayer,
        "train.prune.scope",
        "rows of different layers have different lengths, and their norms "
        "cannot be compared: unit: row needs scope: layer",
        {"train.prune.unit", "train.prune.amount"});
  }

  void check_class_weights() {
    const TrainConfig& train = recipe_.train;
    const bool balanced = train.class_balance != ClassBalance::kNone;
    checker_.require(
        !balanced || train.class_weights.empty(),
        "train.class_balance",
        "weighs classes by their samples, and train.class_weights by its "
        "numbers: set one of them",
        {"train.class_weights"});
    checker_.require(
        train.class_weights.empty() ||
            std::ranges::any_of(
                train.class_weights, [](double weight) { return weight > 0; }),
        "train.class_weights",
        "all are 0, and nothing would be learned: give one class at least a "
        "number above 0");
    checker_.require(
        has_classes(train.loss) || (!balanced && train.class_weights.empty()),
        balanced ? "train.class_balance" : "train.class_weights",
        fmt::format(
            "is for classes, which train.loss: {} has not",
            name_of(train.loss)),
        {"train.loss"});
    checker_.require(
        train.loss != LossKind::kZlpr ||
            (!balanced && train.class_weights.empty() &&
             train.label_smoothing == 0.0),
        "train.loss",
        "zlpr compares classes that are present or absent: it has neither "
        "weights of classes nor smoothed labels; remove these, or take "
        "another loss",
        {"train.class_weights",
         "train.class_balance",
         "train.label_smoothing"});
    const DistillConfig& distill = train.distill;
    checker_.require(
        !distill.active() || has_classes(train.loss),
        "train.distill.type",
        fmt::format(
            "learns the classes that a teacher finds, and train.loss: {} has "
            "none: set none",
            name_of(train.loss)),
        {"train.loss"});
    checker_.require(
        !distill.active() || !distill.teacher.empty(),
        "train.distill.teacher",
        "names nobody: give the model name of the teacher",
        {"train.distill.type"});
    checker_.require(
        !distill.active() || distill.pretrained.has_value(),
        "train.distill.pretrained",
        "is null, and a teacher without weights teaches nothing: give a file "
        "of "
        "weights, a checkpoint or a run",
        {"train.distill.type"});
  }

  void check_mirror() {
    const std::string mirror = recipe_.checkpoint.mirror.value_or("");
    checker_.require(
        mirror.find("://") == mirror.npos,
        "checkpoint.mirror",
        "is a folder, not an address: mount the storage and give its path");
    const auto place = [](const std::string& path) {
      return std::filesystem::path(path + "/").lexically_normal();
    };
    checker_.require(
        mirror.empty() || place(mirror) != place(recipe_.run.output),
        "checkpoint.mirror",
        "is run.output: a second place is another folder",
        {"run.output"});
  }

  const Recipe& recipe_;
  const CheckContext& context_;
  Checker checker_;
};

} // namespace

bool CheckContext::is_unread(std::string_view key) const {
  const auto inside = [](std::string_view part, std::string_view whole) {
    return part.starts_with(whole) &&
        (part.size() == whole.size() || part[whole.size()] == '.');
  };
  return std::ranges::any_of(unread, [&](const std::string& one) {
    return inside(key, one) || inside(one, key);
  });
}

void add_findings(
    const std::vector<Finding>& findings,
    const Origins& origins,
    const CheckContext& context,
    Problems& problems) {
  const auto unread = [&](const std::string& key) {
    return context.is_unread(key);
  };
  for (const Finding& finding : findings) {
    if (unread(finding.key) || std::ranges::any_of(finding.others, unread)) {
      continue;
    }
    const auto origin = origins.find(finding.key);
    problems.add(
        origin == origins.end() ? Position{} : origin->second,
        finding.key,
        finding.text);
  }
}

Problems validate(
    const Recipe& recipe,
    const CheckContext& context,
    const Origins& origins) {
  Problems problems;
  validate(recipe, context, origins, problems);
  return problems;
}

void validate(
    const Recipe& recipe,
    const CheckContext& context,
    const Origins& origins,
    Problems& problems) {
  add_findings(Validator(recipe, context).run(), origins, context, problems);
}

} // namespace vitrain::config
