#include "models/families/byob.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::byob_cases {
namespace {

using models::ByobBlocks;
using models::ByobSpec;
using Kind = ByobBlocks::Kind;
using Gate = ByobBlocks::Gate;

auto net(const ByobSpec& numbers) {
  return [=](models::ModelSpec& spec) { spec.numbers = numbers; };
}

auto mobileone(const std::vector<std::int64_t>& gated, std::int64_t branches) {
  return net(
      {.stem = ByobSpec::Stem::kMobileOne,
       .stem_width = 16,
       .stages = models::mobileone_stages(
           {1, 2, 2, 1}, {0.25, 0.125, 0.125, 0.0625}, gated, branches)});
}

ByobBlocks inverted(
    std::int64_t depth,
    double width,
    std::int64_t stride,
    double ratio = 2.0) {
  return {
      .depth = depth,
      .width = width,
      .stride = stride,
      .group = 1,
      .ratio = ratio,
      .inverted = true,
      .linear = true};
}

ByobBlocks places(
    Kind kind,
    double width,
    std::int64_t transformer_width,
    std::int64_t depth) {
  const bool second = kind == Kind::kMobileVit2;
  return {
      .kind = kind,
      .width = width,
      .group = second ? 1 : 0,
      .ratio = second ? 0.5 : 1.0,
      .transformer_width = transformer_width,
      .transformer_depth = depth};
}

ByobSpec mobilevit(std::vector<std::vector<ByobBlocks>> stages) {
  return {
      .stem_width = 8,
      .silu = true,
      .project = false,
      .stages = std::move(stages)};
}

ByobSpec mobilevit1() {
  ByobSpec spec = mobilevit(
      {{inverted(2, 16, 1)},
       {inverted(1, 24, 2), places(Kind::kMobileVit, 24, 16, 2)},
       {inverted(1, 32, 2, 4.0), places(Kind::kMobileVit, 32, 24, 1)}});
  spec.features = 40;
  return spec;
}

ByobSpec mobilevit2() {
  return mobilevit(
      {{inverted(2, 16, 1)},
       {inverted(1, 32, 2), places(Kind::kMobileVit2, 32, 0, 2)},
       {inverted(1, 48, 2), places(Kind::kMobileVit2, 48, 0, 1)}});
}

// Three stages: a plain block; one of each; two with attention.
auto attention(ByobSpec spec, ByobBlocks plain, ByobBlocks seeing) {
  plain.width = 32;
  seeing.kind = Kind::kSelfAttention;
  seeing.ratio = plain.ratio;
  seeing.group = plain.group;
  seeing.inverted = plain.inverted;
  seeing.linear = plain.linear;
  seeing.width = 64;
  seeing.stride = 2;
  ByobBlocks second = plain;
  second.width = 64;
  second.stride = 2;
  ByobBlocks last = seeing;
  last.depth = 2;
  spec.stages = {{plain}, {second, seeing}, {last}};
  return net(spec);
}

ByobSpec tiered(std::int64_t width) {
  return {.stem = ByobSpec::Stem::kTiered, .stem_width = width, .pool = true};
}

auto halonet_eca() {
  ByobSpec spec = tiered(24);
  spec.pool = false;
  spec.silu = true;
  spec.features = 40;
  return attention(
      spec,
      {.group = 8, .ratio = 0.25, .gate = Gate::kEca},
      {.block = 4, .halo = 2, .heads = 8, .head_width = 4});
}

auto haloregnet() {
  return attention(
      {.stem_width = 16, .silu = true, .project = false, .squeeze = 0.25},
      {.group = 8,
       .ratio = 2.0,
       .gate = Gate::kSqueeze,
       .inverted = true,
       .linear = true},
      {.block = 3, .halo = 1, .heads = 8, .qk_ratio = 0.33});
}

INSTANTIATE_TEST_SUITE_P(
    MobileOne,
    Families,
    family_cases(
        "mobileone",
        {{"mobileone", "mobileone_s0", {40, 72}, mobileone({0, 0, 0, 0}, 3)},
         {"mobileone_se", "mobileone_s4", 64, mobileone({0, 1, 0, 1}, 1)}}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    MobileVit,
    Families,
    family_cases(
        "mobilevit",
        {{"mobilevit", "mobilevit_s", {40, 56}, net(mobilevit1())},
         {"mobilevitv2", "mobilevitv2_050", {24, 40}, net(mobilevit2())}}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    HaloNet,
    Families,
    family_cases(
        "halonet",
        {{"halonet",
          "halonet26t",
          {64, 128},
          attention(
              tiered(16),
              {.ratio = 0.25},
              {.block = 4, .halo = 1, .heads = 8})},
         {"halonet_eca", "eca_halonext26ts", 64, halonet_eca()},
         {"haloregnet", "haloregnetz_b", 48, haloregnet()},
         {"halonet_7x7",
          "halonet_h1",
          64,
          attention(
              {.stem = ByobSpec::Stem::k7x7, .stem_width = 16, .pool = true},
              {.ratio = 0.25},
              {.block = 4, .halo = 1, .heads = 4})},
         {"botnet",
          "sebotnet33ts_256",
          {64, 96},
          attention(
              tiered(16),
              {.ratio = 0.25, .gate = Gate::kSqueeze},
              {.heads = 4})}}),
    case_name);

} // namespace
} // namespace vitrain::networks::byob_cases
