#include "data/augment/augment_mix.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "image/operations/blend.h"

namespace vitrain::data {
namespace {

using image::Canvas;

// Samples from the symmetric Dirichlet distribution; returns single precision.
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

// Applies a chain of random operations to a copy of `original` in
// scratch.chain; returns the copy.
Canvas run_chain(const ChainMix& mix, const Canvas& original) {
  std::vector<std::uint8_t>& pixels = mix.scratch.chain;
  pixels.assign(original.pixels.begin(), original.pixels.end());
  const Canvas chain(pixels, original.width, original.height);
  const std::int64_t depth = mix.options.depth > 0
      ? mix.options.depth
      : 1 + static_cast<std::int64_t>(mix.random.below(3));
  for (std::int64_t i = 0; i < depth; ++i) {
    mix.step(chain);
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

void mix_as_timm(const ChainMix& mix) {
  const double alpha = mix.options.alpha;
  const std::vector<float> weights =
      dirichlet(mix.options.width, alpha, mix.random);
  const auto share = static_cast<float>(beta_draw(mix.random, alpha, alpha));
  if (mix.options.blended) {
    blend_as_timm(mix, weights, share);
    return;
  }
  std::vector<float>& mixed = mix.scratch.mixed;
  mixed.assign(mix.canvas.pixels.size(), 0.0F);
  for (const float weight : weights) {
    add(run_chain(mix, mix.canvas), weight, mixed);
  }
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    std::uint8_t& pixel = mix.canvas.pixels[i];
    pixel = image::blended(pixel, rounded_down(mixed[i]), share);
  }
}

void blend_as_timm(
    const ChainMix& mix,
    std::span<const float> weights,
    float share) {
  // Blending factor of each chain. Blending a later chain scales down the
  // earlier ones; these factors give all chains their weights in the end.
  std::vector<float> shares(weights.size());
  float rest = 1.0F;
  for (std::size_t i = weights.size(); i-- > 0;) {
    shares[i] = rest > 0.0F ? weights[i] * share / rest : 0.0F;
    rest *= 1.0F - shares[i];
  }
  const Canvas& canvas = mix.canvas;
  std::vector<std::uint8_t> original(
      canvas.pixels.begin(), canvas.pixels.end());
  const Canvas source(original, canvas.width, canvas.height);
  for (const float part : shares) {
    const Canvas chain = run_chain(mix, source);
    for (std::size_t i = 0; i < canvas.pixels.size(); ++i) {
      canvas.pixels[i] =
          image::blended(canvas.pixels[i], chain.pixels[i], part);
    }
  }
}

void mix_as_torchvision(const ChainMix& mix) {
  const double alpha = mix.options.alpha;
  const std::vector<float> both = dirichlet(2, alpha, mix.random);
  const std::vector<float> weights =
      dirichlet(mix.options.width, alpha, mix.random);
  std::vector<float>& mixed = mix.scratch.mixed;
  mixed.assign(mix.canvas.pixels.size(), 0.0F);
  add(mix.canvas, both[0], mixed);
  for (const float weight : weights) {
    add(run_chain(mix, mix.canvas), weight * both[1], mixed);
  }
  std::ranges::transform(mixed, mix.canvas.pixels.begin(), rounded_down);
}

} // namespace vitrain::data
