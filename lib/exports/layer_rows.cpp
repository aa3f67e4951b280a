#include <array>
#include <cmath>

#include <ATen/ATen.h>

#include "exports/onnx_rows.h"

// Translations of layers over images [N, C, H, W], attention and norms.
namespace vitrain::exports {
namespace {

// Returns one number per side from numbers given once for all sides or once per
// side.
std::vector<std::int64_t> by_side(
    std::vector<std::int64_t> given,
    std::size_t count) {
  if (given.size() == 1) {
    given.resize(count, given.front());
  }
  return given;
}

// Returns ONNX's form: padding at the start of all sides, then at their ends.
std::vector<std::int64_t> both_ends(const std::vector<std::int64_t>& padding) {
  std::vector<std::int64_t> pads = padding;
  pads.insert(pads.end(), padding.begin(), padding.end());
  return pads;
}

void convolution(const Call& call) {
  const bool transposed = call.has("transposed") && call.flag("transposed");
  const auto sides = static_cast<std::size_t>(call.rank("input") - 2);
  const auto ints = [&](const char* name) {
    return by_side(call.integers(name), sides);
  };
  OnnxAttributes attributes{
      {"strides", ints("stride")},
      {"pads", both_ends(ints("padding"))},
      {"dilations", ints("dilation")},
      {"group", call.integer("groups")}};
  if (transposed) {
    attributes.emplace_back("output_padding", ints("output_padding"));
  }
  Names inputs{call.in("input"), call.in("weight")};
  if (call.has("bias")) {
    inputs.push_back(call.in("bias"));
  }
  call.give(transposed ? "ConvTranspose" : "Conv", inputs, attributes);
}

// Returns the name of a norm's weights, or, if it has none, of a constant of
// that shape filled with `otherwise`.
std::string weights_of(
    const Call& call,
    const char* name,
    const std::vector<std::int64_t>& shape,
    double otherwise) {
  return call.has(name)
      ? call.in(name)
      : call.emitter.constant(at::full(shape, otherwise, at::kFloat));
}

void batch_norm(const Call& call) {
  if (call.flag("training")) {
    call.refuse("in training mode");
  }
  const std::vector<std::int64_t> channels{call.size("input", 1)};
  call.give(
      "BatchNormalization",
      {call.in("input"),
       weights_of(call, "weight", channels, 1.0),
       weights_of(call, "bias", channels, 0.0),
       call.in("running_mean"),
       call.in("running_var")},
      {{"epsilon", call.number("eps")}});
}

void layer_norm(const Call& call) {
  const auto shape = call.integers("normalized_shape");
  call.give(
      "LayerNormalization",
      {call.in("input"),
       weights_of(call, "weight", shape, 1.0),
       weights_of(call, "bias", shape, 0.0)},
      {{"axis", -std::ssize(shape)}, {"epsilon", call.number("eps")}});
}

// Writes InstanceNormalization of each group of channels as one channel, then
// the weights per channel.
void group_norm(const Call& call) {
  Emitter& e = call.emitter;
  const std::int64_t groups = call.integer("num_groups");
  const std::string by_group =
      e.add("Reshape", {call.in("input"), e.integers({0, groups, -1})});
  const std::string normal = e.add(
      "InstanceNormalization",
      {by_group,
       e.constant(at::ones({groups}, at::kFloat)),
       e.constant(at::zeros({groups}, at::kFloat))},
      {{"epsilon", call.number("eps")}});
  std::string x =
      e.add("Reshape", {normal, e.add("Shape", {call.in("input")})});
  std::vector<std::int64_t> sides; // dimensions after the channels
  for (std::int64_t i = 2; i < call.rank("input"); ++i) {
    sides.push_back(i - 1);
  }
  const auto of_channels = [&](const char* name) {
    return e.add("Unsqueeze", {call.in(name), e.integers(sides)});
  };
  if (call.has("weight")) {
    x = e.add("Mul", {x, of_channels("weight")});
  }
  if (call.has("bias")) {
    x = e.add("Add", {x, of_channels("bias")});
  }
  call.give(x);
}

// Writes softmax(q k^T scale + mask) v.
void attention(const Call& call) {
  Emitter& e = call.emitter;
  if (call.flag("is_causal") || call.number("dropout_p") != 0.0) {
    call.refuse("with dropout or a causal mask");
  }
  const std::int64_t rank = call.rank("query");
  const double scale = call.has("scale")
      ? call.number("scale")
      : 1.0 / std::sqrt(static_cast<double>(call.size("query", rank - 1)));
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < rank - 2; ++i) {
    order.push_back(i);
  }
  order.insert(order.end(), {rank - 1, rank - 2});
  const std::string query = e.add("Mul", {call.in("query"), e.number(scale)});
  const std::string key =
      e.add("Transpose", {call.in("key")}, {{"perm", order}});
  std::string scores = e.add("MatMul", {query, key});
  if (call.has("attn_mask")) {
    if (call.type("attn_mask") != at::kFloat) {
      call.refuse("with a mask of truth values");
    }
    scores = e.add("Add", {scores, call.in("attn_mask")});
  }
  const std::string weights =
      e.add("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  call.give("MatMul", {weights, call.in("value")});
}

OnnxAttributes pool_attributes(const Call& call) {
  const auto ints = [&](const char* name) {
    return by_side(call.integers(name), 2);
  };
  auto strides = call.integers("stride");
  return {
      {"kernel_shape", ints("kernel_size")},
      {"strides", strides.empty() ? ints("kernel_size") : ints("stride")},
      {"pads", both_ends(ints("padding"))},
      {"ceil_mode", std::int64_t{call.flag("ceil_mode") ? 1 : 0}}};
}

void max_pool(const Call& call) {
  OnnxAttributes attributes = pool_attributes(call);
  attributes.emplace_back("dilations", by_side(call.integers("dilation"), 2));
  call.give("MaxPool", {call.in("self")}, attributes);
}

void average_pool(const Call& call) {
  if (call.has("divisor_override")) {
    call.refuse("with a divisor of its own");
  }
  OnnxAttributes attributes = pool_attributes(call);
  attributes.emplace_back(
      "count_include_pad",
      std::int64_t{call.flag("count_include_pad") ? 1 : 0});
  call.give("AveragePool", {call.in("self")}, attributes);
}

// Supports only windows of equal size: to one pixel, or to sides that divide
// the input's.
void adaptive_pool(const Call& call) {
  std::vector<std::int64_t> windows;
  const auto sizes = by_side(call.integers("output_size"), 2);
  if (sizes == std::vector<std::int64_t>{1, 1}) {
    call.give("GlobalAveragePool", {call.in("self")}); // for any image size
    return;
  }
  const std::int64_t rank = call.rank("self");
  for (std::int64_t i = 0; i < 2; ++i) {
    const std::int64_t side = call.size("self", rank - 2 + i);
    const std::int64_t wanted = sizes[static_cast<std::size_t>(i)];
    if (side % wanted != 0) {
      call.refuse("with windows of several sizes");
    }
    windows.push_back(side / wanted);
  }
  call.give(
      "AveragePool",
      {call.in("self")},
      {{"kernel_shape", windows}, {"strides", windows}});
}

// Writes Resize. `Coordinates`: the coordinate mode if corners are not aligned.
template <Name Mode, Name Coordinates>
void resize(const Call& call) {
  Emitter& e = call.emitter;
  const char* image = call.has("input") ? "input" : "self";
  std::vector<float> scales{1.0F, 1.0F};
  for (std::int64_t i = 2; i < 4; ++i) {
    scales.push_back(
        static_cast<float>(call.result_size(i)) /
        static_cast<float>(call.size(image, i)));
  }
  const bool aligned = call.has("align_corners") && call.flag("align_corners");
  OnnxAttributes attributes{
      {"mode", std::string(Mode.text)},
      {"coordinate_transformation_mode",
       std::string(aligned ? "align_corners" : Coordinates.text)},
      {"cubic_coeff_a", -0.75}};
  if (std::string_view(Mode.text) == "nearest") {
    attributes.emplace_back("nearest_mode", std::string("floor"));
  }
  call.give(
      "Resize",
      {call.in(image), "", e.constant(at::tensor(scales, at::kFloat))},
      attributes);
}

constexpr auto kLayerRows = std::to_array<OnnxRow>({
    {"_convolution", convolution},
    {"conv1d", convolution},
    {"conv2d", convolution},
    {"convolution", convolution},
    {"scaled_dot_product_attention", attention},
    {"batch_norm", batch_norm},
    {"group_norm", group_norm},
    {"layer_norm", layer_norm},
    {"adaptive_avg_pool2d", adaptive_pool},
    {"avg_pool2d", average_pool},
    {"max_pool2d", max_pool},
    {"upsample_bicubic2d", resize<"cubic", "half_pixel">},
    {"upsample_bilinear2d", resize<"linear", "half_pixel">},
    {"upsample_nearest2d", resize<"nearest", "asymmetric">},
});

} // namespace

std::span<const OnnxRow> layer_rows() {
  return kLayerRows;
}

} // namespace vitrain::exports
