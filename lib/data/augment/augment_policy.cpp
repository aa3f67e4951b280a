#include "data/augment/augment_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "data/augment/augment_mix.h"
#include "data/augment/augment_tables.h"
#include "data/augment/augment_timm.h"
#include "data/augment/augment_torchvision.h"

namespace vitrain::data {
namespace {

// PaddleViT fills with grey, but leaves the corners of rotations black.
constexpr std::array<std::uint8_t, 3> kPaddleVitFill{128, 128, 128};
constexpr double kPaddleVitShift = 100; // pixels at magnitude 10

MoveOptions move_options(const PolicyOptions& options, Random& random) {
  if (options.source == PolicySource::kPaddleVit) {
    return {{image::Interpolation::kNearest, kPaddleVitFill}, {}};
  }
  const image::Interpolation interpolation = options.interpolation
      ? *options.interpolation
      : random.below(2) == 0 ? image::Interpolation::kBilinear
                             : image::Interpolation::kBicubic;
  return {{interpolation, options.fill}, options.fill};
}

// timm's AugmentOp: an operation with its probability and magnitude.
struct TimmStep {
  TimmOp op;
  double probability = 1;
  double magnitude = 10;
};

class TimmSteps {
 public:
  explicit TimmSteps(const PolicyOptions& options) : options_(options) {}

  void apply(
      const TimmStep& step,
      const image::Canvas& canvas,
      Random& random,
      image::Scratch& scratch) const {
    if (random.uniform() >= step.probability) {
      return;
    }
    const double magnitude = draw_timm_magnitude(
        step.magnitude, options_.deviation, options_.most, random);
    const PixelStep pixels = timm_step(
        step.op,
        magnitude,
        random.uniform(),
        scale(canvas),
        canvas.width,
        canvas.height);
    apply_step(pixels, move_options(options_, random), canvas, scratch);
  }

 private:
  TimmScale scale(const image::Canvas& canvas) const {
    if (options_.source == PolicySource::kPaddleVit) {
      return {.translate_pixels = kPaddleVitShift};
    }
    return {
        .translate_pixels =
            std::floor(std::min(canvas.width, canvas.height) * 0.45),
        .translate_share = options_.kind == PolicyKind::kMix ? 0.3 : 0.45};
  }

  PolicyOptions options_;
};

class TimmAuto final : public AugmentPolicy {
 public:
  explicit TimmAuto(const PolicyOptions& options) : steps_(options) {
    for (const TableChoice& choice : auto_augment_table(options.table)) {
      auto& steps = choices_.emplace_back();
      for (const TableStep& step : choice) {
        steps.push_back({timm_op(step.name), step.probability, step.magnitude});
      }
    }
  }

  void apply(
      const image::Canvas& canvas,
      Random& random,
      AugmentScratch& scratch) const override {
    for (const TimmStep& step : choices_[random.below(choices_.size())]) {
      steps_.apply(step, canvas, random, scratch.image);
    }
  }

 private:
  TimmSteps steps_;
  std::vector<std::vector<TimmStep>> choices_;
};

// PaddleViT shifts by pixels where timm's RandAugment shifts by a share.
std::string_view in_pixels(std::string_view name) {
  return name == "TranslateXRel" ? "TranslateX"
      : name == "TranslateYRel"  ? "TranslateY"
                                 : name;
}

class TimmRand final : public AugmentPolicy {
 public:
  explicit TimmRand(const PolicyOptions& options)
      : steps_(options),
        layers_(options.layers),
        weighted_(options.table == "weights" || options.table == "3aw") {
    const bool paddlevit = options.source == PolicySource::kPaddleVit;
    for (const WeightedName& known :
         timm_rand_operations(options.table, options.increasing)) {
      operations_.push_back(
          {timm_op(paddlevit ? in_pixels(known.name) : known.name),
           options.probability,
           static_cast<double>(options.magnitude)});
      weights_.push_back(known.weight);
    }
  }

  void apply(
      const image::Canvas& canvas,
      Random& random,
      AugmentScratch& scratch) const override {
    std::vector<double> weights;
    if (weighted_) {
      weights = weights_;
    }
    for (int layer = 0; layer < layers_; ++layer) {
      const std::size_t chosen = weighted_
          ? draw_without_return(weights, random)
          : random.below(operations_.size());
      steps_.apply(operations_[chosen], canvas, random, scratch.image);
    }
  }

 private:
  // An index with a probability in proportion to its weight, which becomes 0.
  static std::size_t draw_without_return(
      std::vector<double>& weights,
      Random& random) {
    double sum = 0;
    for (const double weight : weights) {
      sum += weight;
    }
    double rest = random.uniform() * sum;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) {
        continue;
      }
      last = i;
      rest -= weights[i];
      if (rest < 0) {
        break;
      }
    }
    weights[last] = 0;
    return last;
  }

  TimmSteps steps_;
  int layers_;
  bool weighted_;
  std::vector<TimmStep> operations_;
  std::vector<double> weights_;
};

class TimmMix final : public AugmentPolicy {
 public:
  explicit TimmMix(const PolicyOptions& options)
      : steps_(options),
        mix_{options.width, options.depth, options.alpha},
        blended_(options.blended) {
    for (const std::string_view name : timm_mix_operations()) {
      operations_.push_back(
          {timm_op(name), 1, static_cast<double>(options.magnitude)});
    }
  }

  void apply(
      const image::Canvas& canvas,
      Random& random,
      AugmentScratch& scratch) const override {
    const ChainStep step = [&](const image::Canvas& chain) {
      steps_.apply(
          operations_[random.below(operations_.size())],
          chain,
          random,
          scratch.image);
    };
    if (blended_) {
      mix_as_timm_blended(mix_, canvas, random, scratch, step);
    } else {
      mix_as_timm(mix_, canvas, random, scratch, step);
    }
  }

 private:
  TimmSteps steps_;
  ChainOptions mix_;
  bool blended_;
  std::vector<TimmStep> operations_;
};

// torchvision's _apply_op at a bin, with a sign that is drawn.
void apply_at_bin(
    const TorchvisionOp& op,
    TorchvisionSpace space,
    int bin,
    int bins,
    const PolicyOptions& options,
    const image::Canvas& canvas,
    Random& random,
    image::Scratch& scratch) {
  const double magnitude =
      torchvision_magnitude(op, space, bin, bins, canvas.width, canvas.height);
  const bool negative = op.is_signed && random.below(2) == 1;
  apply_step(
      torchvision_step(op, negative ? -magnitude : magnitude),
      move_options(options, random),
      canvas,
      scratch);
}

class TorchvisionAuto final : public AugmentPolicy {
 public:
  explicit TorchvisionAuto(const PolicyOptions& options)
      : options_(options), choices_(auto_augment_table(options.table)) {}

  void apply(
      const image::Canvas& canvas,
      Random& random,
      AugmentScratch& scratch) const override {
    constexpr int kBins = 10;
    for (const TableStep& step : choices_[random.below(choices_.size())]) {
      if (random.uniform() < step.probability) {
        apply_at_bin(
            torchvision_op(step.name),
            TorchvisionSpace::kAuto,
            static_cast<int>(step.magnitude),
            kBins,
            options_,
            canvas,
            random,
            scratch.image);
      }
    }
  }

 private:
  PolicyOptions options_;
  std::vector<TableChoice> choices_;
};

// RandAugment, whose magnitude is given, and TrivialAugmentWide: one operation
// with a magnitude that is drawn.
class TorchvisionRand final : public AugmentPolicy {
 public:
  explicit TorchvisionRand(const PolicyOptions& options) : options_(options) {}

  void apply(
      const image::Canvas& canvas,
      Random& random,
      AugmentScratch& scratch) const override {
    const bool trivial = options_.kind == PolicyKind::kTrivial;
    const auto names = torchvision_operations();
    const int layers = trivial ? 1 : options_.layers;
    for (int layer = 0; layer < layers; ++layer) {
      const TorchvisionOp& op =
          torchvision_op(names[random.below(names.size())]);
      const int bin = trivial ? static_cast<int>(random.below(
                                    static_cast<std::uint64_t>(options_.bins)))
                              : static_cast<int>(options_.magnitude);
      apply_at_bin(
          op,
          trivial ? TorchvisionSpace::kTrivial : TorchvisionSpace::kRand,
          bin,
          options_.bins,
          options_,
          canvas,
          random,
          scratch.image);
    }
  }

 private:
  PolicyOptions options_;
};

class TorchvisionMix final : public AugmentPolicy {
 public:
  explicit TorchvisionMix(const PolicyOptions& options)
      : options_(options), mix_{options.width, options.depth, options.alpha} {}

  void apply(
      const image::Canvas& canvas,
      Random& random,
      AugmentScratch& scratch) const override {
    constexpr int kBins = 10;
    const auto names = torchvision_mix_operations(options_.all_ops);
    const ChainStep step = [&](const image::Canvas& chain) {
      const TorchvisionOp& op =
          torchvision_op(names[random.below(names.size())]);
      const int bin = static_cast<int>(
          random.below(static_cast<std::uint64_t>(options_.magnitude)));
      apply_at_bin(
          op,
          TorchvisionSpace::kMix,
          bin,
          kBins,
          options_,
          chain,
          random,
          scratch.image);
    };
    mix_as_torchvision(mix_, canvas, random, scratch, step);
  }

 private:
  PolicyOptions options_;
  ChainOptions mix_;
};

} // namespace

std::unique_ptr<const AugmentPolicy> make_policy(const PolicyOptions& options) {
  const bool torchvision = options.source == PolicySource::kTorchvision;
  switch (options.kind) {
    case PolicyKind::kAuto:
      if (torchvision) {
        return std::make_unique<TorchvisionAuto>(options);
      }
      return std::make_unique<TimmAuto>(options);
    case PolicyKind::kMix:
      if (torchvision) {
        return std::make_unique<TorchvisionMix>(options);
      }
      return std::make_unique<TimmMix>(options);
    case PolicyKind::kRand:
    case PolicyKind::kTrivial:
      break;
  }
  if (torchvision) {
    return std::make_unique<TorchvisionRand>(options);
  }
  return std::make_unique<TimmRand>(options);
}

} // namespace vitrain::data
