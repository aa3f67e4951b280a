#include "data/augment/augment_policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/augment/augment_mix.h"
#include "data/augment/augment_tables.h"
#include "data/augment/augment_timm.h"
#include "data/augment/augment_torchvision.h"

namespace vitrain::data {
namespace {

// PaddleViT fills uncovered pixels with grey, but the corners of rotated images
// with black.
constexpr std::array<std::uint8_t, 3> kPaddleVitFill{128, 128, 128};
constexpr double kPaddleVitShift = 100; // translation in pixels at magnitude 10

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

// Corresponds to timm's AugmentOp: an operation with its probability and
// magnitude.
struct TimmStep {
  TimmOp op;
  double probability = 1;
  double magnitude = 10;
};

TimmScale timm_scale(
    const PolicyOptions& options,
    const image::Canvas& canvas) {
  if (options.source == PolicySource::kPaddleVit) {
    return {.translate_pixels = kPaddleVitShift};
  }
  return {
      .translate_pixels =
          std::floor(std::min(canvas.width, canvas.height) * 0.45),
      .translate_share = options.kind == PolicyKind::kMix ? 0.3 : 0.45};
}

void apply_timm(
    const TimmStep& step,
    const PolicyOptions& options,
    const image::Canvas& canvas,
    Random& random,
    image::Scratch& scratch) {
  if (random.uniform() >= step.probability) {
    return;
  }
  const double magnitude = draw_timm_magnitude(
      step.magnitude, options.deviation, options.most, random);
  const PixelStep pixels = timm_step(
      step.op,
      magnitude,
      random.uniform(),
      timm_scale(options, canvas),
      canvas.width,
      canvas.height);
  apply_step(pixels, move_options(options, random), canvas, scratch);
}

AugmentPolicy timm_auto(const PolicyOptions& options) {
  std::vector<std::vector<TimmStep>> choices;
  for (const TableChoice& choice : auto_augment_table(options.table)) {
    auto& steps = choices.emplace_back();
    for (const TableStep& step : choice) {
      steps.push_back({timm_op(step.name), step.probability, step.magnitude});
    }
  }
  return [options, choices](
             const image::Canvas& canvas,
             Random& random,
             AugmentScratch& scratch) {
    for (const TimmStep& step : choices[random.below(choices.size())]) {
      apply_timm(step, options, canvas, random, scratch.image);
    }
  };
}

// Returns the name of the translation in pixels, which PaddleViT uses, for
// timm's relative one; other names unchanged.
std::string_view in_pixels(std::string_view name) {
  return name == "TranslateXRel" ? "TranslateX"
      : name == "TranslateYRel"  ? "TranslateY"
                                 : name;
}

// Samples an index with a probability proportional to its weight, and sets that
// weight to 0.
std::size_t draw_without_return(std::vector<double>& weights, Random& random) {
  double rest =
      random.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
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

AugmentPolicy timm_rand(const PolicyOptions& options) {
  const bool paddlevit = options.source == PolicySource::kPaddleVit;
  std::vector<TimmStep> operations;
  std::vector<double> all_weights; // empty for sets without weights
  for (const WeightedName& known :
       timm_rand_operations(options.table, options.increasing)) {
    operations.push_back(
        {timm_op(paddlevit ? in_pixels(known.name) : known.name),
         options.probability,
         static_cast<double>(options.magnitude)});
    if (options.table == "weights" || options.table == "3aw") {
      all_weights.push_back(known.weight);
    }
  }
  return [options, operations, all_weights](
             const image::Canvas& canvas,
             Random& random,
             AugmentScratch& scratch) {
    std::vector<double> weights = all_weights;
    for (int layer = 0; layer < options.layers; ++layer) {
      const std::size_t chosen = weights.empty()
          ? random.below(operations.size())
          : draw_without_return(weights, random);
      apply_timm(operations[chosen], options, canvas, random, scratch.image);
    }
  };
}

AugmentPolicy timm_mix(const PolicyOptions& options) {
  std::vector<TimmStep> operations;
  for (const std::string_view name : timm_mix_operations()) {
    operations.push_back(
        {timm_op(name), 1, static_cast<double>(options.magnitude)});
  }
  return [options, operations](
             const image::Canvas& canvas,
             Random& random,
             AugmentScratch& scratch) {
    const ChainStep step = [&](const image::Canvas& chain) {
      const TimmStep& drawn = operations[random.below(operations.size())];
      apply_timm(drawn, options, chain, random, scratch.image);
    };
    mix_as_timm({options, canvas, random, scratch, step});
  };
}

// Number of magnitude levels that torchvision uses in policies without an
// option for it.
constexpr int kBins = 10;

// Applies torchvision's _apply_op at a level, with a random sign.
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

int draw_below(std::int64_t count, Random& random) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(count)));
}

AugmentPolicy torchvision_auto(const PolicyOptions& options) {
  return [options, choices = auto_augment_table(options.table)](
             const image::Canvas& canvas,
             Random& random,
             AugmentScratch& scratch) {
    for (const TableStep& step : choices[random.below(choices.size())]) {
      if (random.uniform() < step.probability) {
        apply_at_bin(
            torchvision_op(step.name),
            TorchvisionSpace::kAuto,
            static_cast<int>(step.magnitude),
            kBins,
            options,
            canvas,
            random,
            scratch.image);
      }
    }
  };
}

// torchvision's RandAugment (fixed magnitude) and TrivialAugmentWide (one
// operation with a random magnitude).
AugmentPolicy torchvision_rand(const PolicyOptions& options) {
  const bool trivial = options.kind == PolicyKind::kTrivial;
  return [options, trivial](
             const image::Canvas& canvas,
             Random& random,
             AugmentScratch& scratch) {
    const auto names = torchvision_operations();
    const std::int64_t layers = trivial ? 1 : options.layers;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const TorchvisionOp& op =
          torchvision_op(names[random.below(names.size())]);
      const int bin = trivial ? draw_below(options.bins, random)
                              : static_cast<int>(options.magnitude);
      apply_at_bin(
          op,
          trivial ? TorchvisionSpace::kTrivial : TorchvisionSpace::kRand,
          bin,
          static_cast<int>(options.bins),
          options,
          canvas,
          random,
          scratch.image);
    }
  };
}

AugmentPolicy torchvision_mix(const PolicyOptions& options) {
  return [options](
             const image::Canvas& canvas,
             Random& random,
             AugmentScratch& scratch) {
    const auto names = torchvision_mix_operations(options.all_ops);
    const ChainStep step = [&](const image::Canvas& chain) {
      const TorchvisionOp& op =
          torchvision_op(names[random.below(names.size())]);
      const int bin = draw_below(options.magnitude, random);
      apply_at_bin(
          op,
          TorchvisionSpace::kMix,
          bin,
          kBins,
          options,
          chain,
          random,
          scratch.image);
    };
    mix_as_torchvision({options, canvas, random, scratch, step});
  };
}

} // namespace

AugmentPolicy make_policy(const PolicyOptions& options) {
  const bool torchvision = options.source == PolicySource::kTorchvision;
  switch (options.kind) {
    case PolicyKind::kAuto:
      return torchvision ? torchvision_auto(options) : timm_auto(options);
    case PolicyKind::kMix:
      return torchvision ? torchvision_mix(options) : timm_mix(options);
    case PolicyKind::kRand:
    case PolicyKind::kTrivial:
      break;
  }
  return torchvision ? torchvision_rand(options) : timm_rand(options);
}

} // namespace vitrain::data
