#include "models/families/efficientnet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "core/text.h"
#include "models/families/multiple_of_8.h"

namespace vitrain::models {
namespace efficientnet {
namespace {

using Spec = EfficientNetSpec;
using Design = EfficientNetDesign;
using Block = EfficientNetSpec::Block;
using Kind = EfficientNetSpec::Block::Kind;

double real(std::int64_t number) {
  return static_cast<double>(number);
}

// Rounds halves to even, as Python's round().
std::int64_t nearest(double number) {
  return static_cast<std::int64_t>(std::nearbyint(number));
}

// Parts of the description of a type of block: "ir_r2_k3_e6_c24_noskip".
class Parts {
 public:
  explicit Parts(std::string_view text) : parts_(split(text, '_')) {}

  const std::string& kind() const { return parts_.front(); }
  bool has(std::string_view word) const {
    return std::ranges::find(parts_, word) != parts_.end();
  }
  // Returns the number after `key`.
  double number(std::string_view key, double otherwise = 0.0) const {
    double value = otherwise;
    for (const std::string& part : parts_) {
      if (part.starts_with(key) &&
          parse_double(std::string_view(part).substr(key.size()), value)) {
        break;
      }
    }
    return value;
  }
  std::int64_t whole(std::string_view key, double otherwise = 0.0) const {
    return static_cast<std::int64_t>(number(key, otherwise));
  }
  // Returns the numbers after `key`, which dots separate; empty: at most one.
  std::vector<std::int64_t> numbers(std::string_view key) const {
    std::vector<std::int64_t> found;
    for (const std::string& part : parts_) {
      if (part.starts_with(key) && part.find('.') != part.npos) {
        for (const std::string& text : split(part.substr(key.size()), '.')) {
          std::int64_t value = 0;
          if (parse_size(text, value)) {
            found.push_back(value);
          }
        }
      }
    }
    return found;
  }

 private:
  std::vector<std::string> parts_;
};

Kind kind_of(const std::string& name) {
  using enum Block::Kind;
  for (const auto& [known, kind] :
       {std::pair("cn", kPlain),
        std::pair("ds", kSeparable),
        std::pair("dsa", kSeparable),
        std::pair("ir", kInverted),
        std::pair("er", kFused),
        std::pair("uir", kUniversal),
        std::pair("mqa", kQueryAttention)}) {
    if (name == known) {
      return kind;
    }
  }
  fail(ExitCode::kInternal, "no block of a network is called '{}'", name);
}

// Multiplies the sum of `repeats` by `depth` and distributes it, from the last
// number to the first, as timm does.
void scale_depth(
    std::vector<std::int64_t>& repeats,
    double depth,
    bool to_nearest) {
  std::int64_t before = 0;
  for (const std::int64_t count : repeats) {
    before += count;
  }
  const double product = real(before) * depth;
  std::int64_t after = to_nearest
      ? std::max<std::int64_t>(1, nearest(product))
      : static_cast<std::int64_t>(std::ceil(product));
  for (auto count = repeats.rbegin(); count != repeats.rend(); ++count) {
    const std::int64_t scaled = std::max<std::int64_t>(
        1, nearest(real(*count) / real(before) * real(after)));
    before -= *count;
    after -= scaled;
    *count = scaled;
  }
}

std::int64_t squeezed_of(
    const Design& design,
    const Block& block,
    double ratio,
    double expansion) {
  using enum Design::Squeeze;
  const bool of_input =
      design.squeeze == kOfInput || design.squeeze == kOfInputBy8;
  const bool by_8 =
      design.squeeze == kOfHiddenBy8 || design.squeeze == kOfInputBy8;
  const double channels =
      real(block.hidden) * (of_input ? ratio / expansion : ratio);
  return by_8 ? multiple_of_8(channels, design.least) : nearest(channels);
}

Block block_of(
    const Design& design,
    const Parts& parts,
    double width,
    std::int64_t in,
    bool first) {
  const double expansion = parts.number("e", 1.0);
  Block block{
      .kind = kind_of(parts.kind()),
      .in = in,
      .hidden = in,
      .out = multiple_of_8(parts.number("c") * width, design.least),
      .kernel = parts.whole("k", 3.0),
      .first_kernel = parts.whole("a"),
      .stride = first ? parts.whole("s", 1.0) : 1,
      .group = parts.whole("gs"),
      .activation = parts.has("nre") ? Spec::Activation::kRelu
          : parts.has("nsw")         ? Spec::Activation::kSilu
                                     : design.numbers.activation,
      .activates_output = parts.kind() == "dsa" || parts.kind() == "cn",
      .heads = parts.whole("h"),
      .head_width = parts.whole("d"),
      .key_stride = parts.whole("v", 1.0),
      .kernels = parts.numbers("k"),
      .expand_parts = std::max<std::size_t>(parts.numbers("a").size(), 1),
      .project_parts = std::max<std::size_t>(parts.numbers("p").size(), 1)};
  if (block.kind != Kind::kPlain && block.kind != Kind::kSeparable) {
    const double forced = parts.number("fc") * width;
    block.hidden = multiple_of_8(
        expansion *
        real(forced > 0.0 ? multiple_of_8(forced, design.least) : in));
  }
  if (const double ratio = parts.number("se"); ratio > 0.0) {
    block.squeezed = squeezed_of(design, block, ratio, expansion);
  }
  const bool wanted =
      block.activates_output ? parts.has("skip") : !parts.has("noskip");
  block.skip = wanted && block.stride == 1 && in == block.out;
  return block;
}

} // namespace
} // namespace efficientnet

std::int64_t EfficientNetSpec::blocks() const {
  std::int64_t sum = 0;
  for (const auto& stage : stages) {
    sum += std::ssize(stage);
  }
  return sum;
}

EfficientNetSpec
scaled(const EfficientNetDesign& design, double width, double depth) {
  using efficientnet::Parts;
  using efficientnet::real;
  EfficientNetSpec net = design.numbers;
  const std::int64_t stem = multiple_of_8(real(net.stem) * width, design.least);
  if (design.stem != EfficientNetDesign::Stem::kFixed) {
    net.stem = design.stem == EfficientNetDesign::Stem::kScaled
        ? stem
        : std::max(stem, net.stem);
  }
  if (design.wide_features) {
    net.features = std::max(
        net.features, multiple_of_8(real(net.features) * width, design.least));
  }
  std::int64_t channels = net.stem;
  const std::vector<std::string> stages = split(design.stages, ' ');
  for (std::size_t i = 0; i < stages.size(); ++i) {
    std::vector<Parts> types;
    std::vector<std::int64_t> repeats;
    for (const std::string& text : split(stages[i], ',')) {
      types.emplace_back(text);
      repeats.push_back(types.back().whole("r", 1.0));
    }
    const bool end = i == 0 || i + 1 == stages.size();
    efficientnet::scale_depth(
        repeats, design.fixed_ends && end ? 1.0 : depth, design.nearest_depth);
    auto& blocks = net.stages.emplace_back();
    for (std::size_t type = 0; type < types.size(); ++type) {
      for (std::int64_t n = 0; n < repeats[type]; ++n) {
        blocks.push_back(efficientnet::block_of(
            design, types[type], width, channels, blocks.empty()));
        channels = blocks.back().out;
      }
    }
  }
  if (net.head == EfficientNetSpec::Head::kNone) {
    net.features = channels;
  }
  return net;
}

std::optional<ModelSpec> find_scaled(
    std::span<const ScaledNetwork> table,
    const std::string& name) {
  const auto row = std::ranges::find(
      table, name, [](const ScaledNetwork& network) { return network.name; });
  if (row == table.end()) {
    return std::nullopt;
  }
  EfficientNetSpec net = scaled(*row->design, row->width, row->depth);
  if (name.starts_with("tf_")) {
    net.same_padding = true;
    net.norm_eps = 1e-3;
  }
  ModelSpec spec;
  spec.image_size = row->image_size;
  spec.numbers = net;
  return spec;
}

std::string describe_blocks(const ModelSpec& spec) {
  const auto& net = spec.get<EfficientNetSpec>();
  constexpr std::array kActivations{
      "ReLU", "ReLU6", "SiLU", "hard swish", "GELU"};
  return fmt::format(
      "{} mobile blocks, {}",
      net.blocks(),
      kActivations[static_cast<std::size_t>(net.activation)]);
}

} // namespace vitrain::models
