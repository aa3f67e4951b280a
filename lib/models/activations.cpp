#include "models/activations.h"

#include <algorithm>

namespace vitrain::models {
namespace {

constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kIndex = 8; // of max-pooling

// See vit.cpp. What linear layers and attention take and give has `e` bytes a
// number; the sums of the residual branches stay in fp32.
ActivationBytes vit(const ModelSpec& spec, bool bf16) {
  const VitSpec& net = spec.vit;
  const std::int64_t e = bf16 ? 2 : kFp32;
  const std::int64_t grid = spec.image_size / net.patch_size;
  const std::int64_t patches = grid * grid;
  const std::int64_t tokens = patches + 1;
  const std::int64_t width = net.embed_dim;
  // softmax(q k^T) is kept where products make it: in fp32 and rounded.
  const bool products = bf16 || net.attention_dropout > 0.0;
  const std::int64_t weights = net.num_heads * tokens * tokens;
  const std::int64_t attention =
      (products ? weights * (bf16 ? kFp32 + e : kFp32) : 0) +
      (net.attention_dropout > 0.0 ? weights * (e + 1) : 0);
  // Inputs of both norms; both norms, q, k, v and attention, two results of the
  // MLP's first layer.
  const std::int64_t sums = 2 * tokens * width * kFp32;
  const std::int64_t branches =
      tokens * (6 * width + 2 * net.mlp_dim) * e + attention;
  const std::int64_t dropped = net.drop_path > 0.0 ? 2 * tokens * width * e : 0;
  // Masks, and what they leave of three results of width and one of the MLP.
  const std::int64_t masked =
      net.dropout > 0.0 ? tokens * (2 * width + net.mlp_dim) * (1 + e) : 0;
  const std::int64_t block = sums + branches + dropped + masked;
  // Of the last block only keys and values are of all tokens.
  const std::int64_t last =
      tokens * width * kFp32 + 3 * tokens * width * e + attention / tokens;
  const std::int64_t pixels = spec.input_numbers();
  const std::int64_t start = pixels * (kFp32 + e) + 2 * tokens * width * kFp32;
  return {
      .kept = start + (net.depth - 1) * block + last,
      .passing = pixels * kFp32 + tokens * width * 3 * kFp32 +
          std::max(tokens * 2 * net.mlp_dim * e,
                   4 * tokens * width * e + attention)};
}

// Side of what a convolution or pooling with stride 2 leaves.
std::int64_t halved(std::int64_t side) {
  return (side - 1) / 2 + 1;
}

// See resnet.cpp: of each convolution its result, and that of the BatchNorm and
// ReLU behind it, which the next one takes.
class ResNetCounter {
 public:
  explicit ResNetCounter(std::int64_t element) : element_(element) {}

  void add(std::int64_t channels, std::int64_t side, std::int64_t copies) {
    const std::int64_t bytes = channels * side * side * element_;
    kept_ += copies * bytes;
    largest_ = std::max(largest_, bytes);
  }
  void add_bytes(std::int64_t bytes) { kept_ += bytes; }

  std::int64_t kept() const { return kept_; }
  std::int64_t largest() const { return largest_; }

 private:
  std::int64_t element_;
  std::int64_t kept_ = 0;
  std::int64_t largest_ = 0;
};

ActivationBytes resnet(const ModelSpec& spec, bool bf16) {
  ResNetCounter count(bf16 ? 2 : kFp32);
  const ResNetSpec& net = spec.resnet;
  std::int64_t side = halved(spec.image_size);
  count.add(64, side, 2);
  side = halved(side);
  count.add(64, side, 1);
  count.add_bytes(64 * side * side * kIndex);
  std::int64_t channels = 64;
  for (std::size_t stage = 0; stage < net.blocks.size(); ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    const std::int64_t out = net.bottleneck ? 4 * width : width;
    for (std::int64_t i = 0; i < net.blocks[stage]; ++i) {
      const std::int64_t before = side;
      side = i == 0 && stage > 0 ? halved(side) : side;
      if (net.bottleneck) {
        count.add(width, before, 2);
      }
      count.add(width, side, 2);
      count.add(out, side, 2);
      if (i == 0 && (stage > 0 || channels != out)) {
        count.add(out, side, 1);
      }
      channels = out;
    }
  }
  const std::int64_t pixels = spec.input_numbers() * kFp32;
  return {
      .kept = pixels + count.kept(), .passing = pixels + 3 * count.largest()};
}

ActivationBytes convnet(const ModelSpec& spec) {
  const ConvNetSpec& net = spec.convnet;
  const std::int64_t first = spec.image_size - net.kernel + 1;
  const std::int64_t second = first / 2 - net.kernel + 1;
  const std::int64_t area1 = net.widths[0] * first * first;
  const std::int64_t area2 = net.widths[1] * second * second;
  const std::int64_t kept = spec.input_numbers() + area1 + 2 * area2 +
      (area1 + area2) / 4 * 4 + 4 * net.hidden;
  return {
      .kept = kept * kFp32,
      .passing = (spec.input_numbers() + 2 * area1) * kFp32};
}

ActivationBytes mlp(const ModelSpec& spec) {
  const std::int64_t kept =
      spec.input_numbers() + 2 * spec.mlp.hidden * spec.mlp.width;
  return {
      .kept = kept * kFp32,
      .passing = (spec.input_numbers() + 2 * spec.mlp.width) * kFp32};
}

} // namespace

ActivationBytes activation_bytes(const ModelSpec& spec, bool bf16) {
  switch (spec.family) {
    case Family::kVit:
      return vit(spec, bf16);
    case Family::kResNet:
      return resnet(spec, bf16);
    case Family::kConvNet:
      return convnet(spec);
    case Family::kMlp:
      return mlp(spec);
  }
  return {};
}

} // namespace vitrain::models
