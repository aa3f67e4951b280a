#include "data/augment/augment_mix.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "image/operations/blend.h"

namespace vitrain::data {
namespace {

using image::Canvas;

// A draw from the symmetric Dirichlet law, in single precision.
std::vector<float> dirichlet(int count, double alpha, Random& random) {
  std::vector<double> logs;
  for (int i = 0; i < count; ++i) {
    logs.push_back(log_gamma_draw(random, alpha));
  }
  const double largest = *std::ranges::max_element(logs);
  double sum = 0;
  for (double& value : logs) {
    value = std::exp(value - largest);
    sum += value;
  }
  std::vector<float> weights;
  for (const double value : logs) {
    weights.push_back(static_cast<float>(value / sum));
  }
  return weights;
}

// A chain of operations on `original`, in scratch.chain.
Canvas run_chain(
    const ChainOptions& options,
    const Canvas& original,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step) {
  scratch.chain.assign(original.pixels.begin(), original.pixels.end());
  const Canvas chain(scratch.chain, original.width, original.height);
  const int depth =
      options.depth > 0 ? options.depth : 1 + static_cast<int>(random.below(3));
  for (int i = 0; i < depth; ++i) {
    step(chain);
  }
  return chain;
}

void add(const Canvas& pixels, float weight, std::vector<float>& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += weight * static_cast<float>(pixels.pixels[i]);
  }
}

std::uint8_t rounded_down(float value) {
  return static_cast<std::uint8_t>(
      static_cast<int>(std::clamp(value, 0.0F, 255.0F)));
}

} // namespace

void mix_as_timm(
    const ChainOptions& options,
    const Canvas& canvas,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step) {
  const std::vector<float> weights =
      dirichlet(options.width, options.alpha, random);
  const auto share =
      static_cast<float>(beta_draw(random, options.alpha, options.alpha));
  scratch.mixed.assign(canvas.pixels.size(), 0.0F);
  for (const float weight : weights) {
    add(run_chain(options, canvas, random, scratch, step),
        weight,
        scratch.mixed);
  }
  for (std::size_t i = 0; i < scratch.mixed.size(); ++i) {
    canvas.pixels[i] =
        image::blended(canvas.pixels[i], rounded_down(scratch.mixed[i]), share);
  }
}

void mix_as_timm_blended(
    const ChainOptions& options,
    const Canvas& canvas,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step) {
  const std::vector<float> weights =
      dirichlet(options.width, options.alpha, random);
  const auto share =
      static_cast<float>(beta_draw(random, options.alpha, options.alpha));
  blend_as_timm(options, weights, share, canvas, random, scratch, step);
}

void blend_as_timm(
    const ChainOptions& options,
    std::span<const float> weights,
    float share,
    const Canvas& canvas,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step) {
  // How much of each chain to blend in, so that the later ones leave the first
  // ones their weights.
  std::vector<float> shares(weights.size());
  float rest = 1.0F;
  for (std::size_t i = weights.size(); i-- > 0;) {
    shares[i] = rest > 0.0F ? weights[i] * share / rest : 0.0F;
    rest *= 1.0F - shares[i];
  }
  std::vector<std::uint8_t> original(
      canvas.pixels.begin(), canvas.pixels.end());
  const Canvas source(original, canvas.width, canvas.height);
  for (const float part : shares) {
    const Canvas chain = run_chain(options, source, random, scratch, step);
    for (std::size_t i = 0; i < canvas.pixels.size(); ++i) {
      canvas.pixels[i] =
          image::blended(canvas.pixels[i], chain.pixels[i], part);
    }
  }
}

void mix_as_torchvision(
    const ChainOptions& options,
    const Canvas& canvas,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step) {
  const std::vector<float> both = dirichlet(2, options.alpha, random);
  const std::vector<float> weights =
      dirichlet(options.width, options.alpha, random);
  scratch.mixed.assign(canvas.pixels.size(), 0.0F);
  add(canvas, both[0], scratch.mixed);
  for (const float weight : weights) {
    add(run_chain(options, canvas, random, scratch, step),
        weight * both[1],
        scratch.mixed);
  }
  std::ranges::transform(scratch.mixed, canvas.pixels.begin(), rounded_down);
}

} // namespace vitrain::data
