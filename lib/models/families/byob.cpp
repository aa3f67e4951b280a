#include "models/families/byob.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

// MobileOne and MobileViT. Networks with attention in their bottlenecks are in
// halonet.cpp.
namespace vitrain::models {
namespace {

using Kind = ByobBlocks::Kind;
using Stage = std::vector<ByobBlocks>;
using Named = NamedNetwork<ByobSpec>;

constexpr std::int64_t kMobileOneImage = 224;
constexpr std::int64_t kMobileVitImage = 256;

Named mobileone(
    const char* name,
    std::int64_t stem,
    const std::vector<double>& factors,
    const std::vector<std::int64_t>& gated = {0, 0, 0, 0},
    std::int64_t branches = 1) {
  return {
      name,
      kMobileOneImage,
      3,
      {.stem = ByobSpec::Stem::kMobileOne,
       .stem_width = stem,
       .stages = mobileone_stages({2, 8, 10, 1}, factors, gated, branches)}};
}

// Networks of timm 1.0 (timm/models/byobnet.py).
const std::vector<Named> kMobileOnes{
    mobileone("mobileone_s0", 48, {0.75, 1.0, 1.0, 2.0}, {0, 0, 0, 0}, 4),
    mobileone("mobileone_s1", 64, {1.5, 1.5, 2.0, 2.5}),
    mobileone("mobileone_s2", 64, {1.5, 2.0, 2.5, 4.0}),
    mobileone("mobileone_s3", 64, {2.0, 2.5, 3.0, 4.0}),
    mobileone("mobileone_s4", 64, {3.0, 3.5, 3.5, 4.0}, {0, 0, 5, 1}),
};

ByobBlocks
inverted(std::int64_t depth, double width, std::int64_t stride, double ratio) {
  return {
      .depth = depth,
      .width = width,
      .stride = stride,
      .group = 1,
      .ratio = ratio,
      .inverted = true,
      .linear = true};
}

// Output width of a stage and width of its transformer.
struct Widths {
  double result;
  std::int64_t transformer;
};

Named mobilevit(
    const char* name,
    double ratio,
    double first,
    double second,
    const std::vector<Widths>& widths,
    std::int64_t features) {
  ByobSpec net{
      .stem_width = 16,
      .silu = true,
      .project = false,
      .features = features,
      .stages = {
          {inverted(1, first, 1, ratio)}, {inverted(3, second, 2, ratio)}}};
  const std::vector<std::int64_t> depths{2, 4, 3};
  for (std::size_t i = 0; i < depths.size(); ++i) {
    net.stages.push_back(
        {inverted(1, widths[i].result, 2, ratio),
         {.kind = Kind::kMobileVit,
          .width = widths[i].result,
          .transformer_width = widths[i].transformer,
          .transformer_depth = depths[i]}});
  }
  return {name, kMobileVitImage, 3, net};
}

// Returns a MobileViT V2. `quarters`: 4 x width relative to mobilevitv2_100.
Named mobilevitv2(const char* name, std::int64_t quarters) {
  const auto wide = [&](std::int64_t width) {
    const std::int64_t scaled = width * quarters / 4;
    return static_cast<double>(scaled);
  };
  ByobSpec net{
      .stem_width = 32 * quarters / 4,
      .silu = true,
      .project = false,
      .stages = {
          {inverted(1, wide(64), 1, 2.0)}, {inverted(2, wide(128), 2, 2.0)}}};
  const std::vector<std::int64_t> widths{256, 384, 512};
  const std::vector<std::int64_t> depths{2, 4, 3};
  for (std::size_t i = 0; i < depths.size(); ++i) {
    net.stages.push_back(
        {inverted(1, wide(widths[i]), 2, 2.0),
         {.kind = Kind::kMobileVit2,
          .width = wide(widths[i]),
          .group = 1,
          .ratio = 0.5,
          .transformer_depth = depths[i]}});
  }
  return {name, kMobileVitImage, 3, net};
}

// Networks of timm 1.0 (timm/models/mobilevit.py).
const std::vector<Named> kMobileVits{
    mobilevit(
        "mobilevit_xxs",
        2.0,
        16,
        24,
        {{48, 64}, {64, 80}, {80, 96}},
        320),
    mobilevit(
        "mobilevit_xs",
        4.0,
        32,
        48,
        {{64, 96}, {80, 120}, {96, 144}},
        384),
    mobilevit(
        "mobilevit_s",
        4.0,
        32,
        64,
        {{96, 144}, {128, 192}, {160, 240}},
        640),
    mobilevitv2("mobilevitv2_050", 2),
    mobilevitv2("mobilevitv2_075", 3),
    mobilevitv2("mobilevitv2_100", 4),
    mobilevitv2("mobilevitv2_125", 5),
    mobilevitv2("mobilevitv2_150", 6),
    mobilevitv2("mobilevitv2_175", 7),
    mobilevitv2("mobilevitv2_200", 8),
};

} // namespace

std::vector<std::vector<ByobBlocks>> mobileone_stages(
    const std::vector<std::int64_t>& depths,
    const std::vector<double>& factors,
    const std::vector<std::int64_t>& gated,
    std::int64_t branches) {
  std::vector<Stage> stages;
  double base = 64.0;
  double before = std::min(base, base * factors.front());
  for (std::size_t i = 0; i < depths.size(); ++i, base *= 2.0) {
    Stage stage;
    for (std::int64_t pair = 0; pair < depths[i]; ++pair) {
      ByobBlocks block{
          .kind = Kind::kMobileOne,
          .width = before,
          .stride = 2,
          .group = 1,
          .gate = pair >= depths[i] - gated[i] ? ByobBlocks::Gate::kSqueeze
                                               : ByobBlocks::Gate::kNone,
          .branches = branches};
      stage.push_back(block);
      block.width = before = base * factors[i];
      block.group = 0;
      block.kernel = 1;
      stage.push_back(block);
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::string describe_byob(const ModelSpec& spec) {
  std::vector<std::int64_t> widths;
  std::vector<std::int64_t> depths;
  for (const Stage& stage : spec.get<ByobSpec>().stages) {
    widths.push_back(multiple_of_8(stage.back().width));
    depths.push_back(0);
    for (const ByobBlocks& blocks : stage) {
      depths.back() += blocks.depth;
    }
  }
  return fmt::format(
      "widths {}, blocks {}", fmt::join(widths, "-"), fmt::join(depths, "-"));
}

const Family kMobileOne =
    byob_family<kMobileOnes>("mobileone", check_least<32>);

const Family kMobileVit =
    byob_family<kMobileVits>("mobilevit", check_least<32>);

} // namespace vitrain::models
