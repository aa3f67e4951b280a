#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/families/byob.h"

namespace vitrain::models {
namespace {

using Kind = ByobBlocks::Kind;
using Gate = ByobBlocks::Gate;
using Stage = std::vector<ByobBlocks>;
using Named = NamedNetwork<ByobSpec>;

constexpr std::int64_t kAttentionImage = 256;

// The two types of blocks of a network, without their widths: bottlenecks
// (`plain`) and blocks with attention (`seeing`).
struct Pair {
  ByobBlocks plain;
  ByobBlocks seeing;
};

Pair blocks_of(std::int64_t group, Gate gate, const ByobBlocks& attention) {
  Pair pair{{.group = group, .ratio = 0.25, .gate = gate}, attention};
  pair.seeing.kind = Kind::kSelfAttention;
  pair.seeing.group = group;
  pair.seeing.ratio = 0.25;
  return pair;
}

constexpr ByobBlocks kAllPixels{.heads = 4};

constexpr ByobBlocks halo(std::int64_t size, std::int64_t head_width = 0) {
  return {.block = 8, .halo = size, .heads = 8, .head_width = head_width};
}

// Returns a stage. `kinds` has a letter per block: 'b' for bottlenecks, 'a' for
// attention.
Stage stage(
    const Pair& pair,
    const char* kinds,
    double width,
    std::int64_t stride = 2,
    double ratio = 0.25) {
  Stage blocks;
  for (const char kind : std::string(kinds)) {
    ByobBlocks block = kind == 'a' ? pair.seeing : pair.plain;
    block.width = width;
    block.stride = stride;
    block.ratio = ratio;
    blocks.push_back(block);
  }
  return blocks;
}

Named tiered(
    const char* name,
    bool pool,
    bool silu,
    std::int64_t features,
    std::vector<Stage> stages) {
  return {
      name,
      kAttentionImage,
      3,
      {.stem = ByobSpec::Stem::kTiered,
       .stem_width = 64,
       .pool = pool,
       .silu = silu,
       .features = features,
       .stages = std::move(stages)}};
}

Named of_26(const char* name, bool silu, const Pair& blocks) {
  return tiered(
      name,
      true,
      silu,
      0,
      {stage(blocks, "bb", 256, 1),
       stage(blocks, "bb", 512),
       stage(blocks, "ba", 1024),
       stage(blocks, "aa", 2048)});
}

Named of_33(const char* name, const Pair& blocks) {
  return tiered(
      name,
      false,
      true,
      1280,
      {stage(blocks, "bb", 256, 1),
       stage(blocks, "bba", 512),
       stage(blocks, "bba", 1024),
       stage(blocks, "aa", 1536, 2, 0.333)});
}

Named of_50(const char* name, const Pair& second, const Pair& last) {
  return tiered(
      name,
      true,
      true,
      0,
      {stage(last, "bbb", 256, 1),
       stage(second, "bbba", 512),
       stage(last, "bababa", 1024),
       stage(last, "bab", 2048)});
}

Pair with_heads(Pair pair, std::int64_t heads) {
  pair.seeing.heads = heads;
  return pair;
}

Named halo2botnet50() {
  const Pair near = blocks_of(0, Gate::kNone, halo(3));
  return tiered(
      "halo2botnet50ts_256",
      false,
      true,
      0,
      {stage(near, "bbb", 256, 1),
       stage(near, "baba", 512),
       stage(near, "bababa", 1024),
       stage(blocks_of(0, Gate::kNone, kAllPixels), "bab", 2048)});
}

Named halonet_h1() {
  const Pair near = blocks_of(0, Gate::kNone, halo(3));
  return {
      "halonet_h1",
      kAttentionImage,
      3,
      {.stem = ByobSpec::Stem::k7x7,
       .stem_width = 64,
       .pool = true,
       .stages = {
           stage(near, "aaa", 64, 1, 1.0),
           stage(near, "aaa", 128, 2, 1.0),
           stage(near, "aaaaaaaaaa", 256, 2, 1.0),
           stage(near, "aaa", 512, 2, 1.0)}}};
}

Named haloregnetz() {
  Pair near = blocks_of(16, Gate::kSqueeze, halo(2));
  near.seeing.block = 7;
  near.seeing.qk_ratio = 0.33;
  for (ByobBlocks* block : {&near.plain, &near.seeing}) {
    block->inverted = true;
    block->linear = true;
  }
  return {
      "haloregnetz_b",
      224,
      3,
      {.stem_width = 32,
       .silu = true,
       .project = false,
       .squeeze = 0.25,
       .features = 1536,
       .stages = {
           stage(near, "bb", 48, 2, 3.0),
           stage(near, "bbbbbb", 96, 2, 3.0),
           stage(near, "bbbabbbabbba", 192, 2, 3.0),
           stage(near, "aa", 288, 2, 3.0)}}};
}

// Networks of timm 1.0 (timm/models/byoanet.py).
const std::vector<Named> kHaloNets{
    halonet_h1(),
    of_26("halonet26t", false, blocks_of(0, Gate::kNone, halo(2))),
    of_33("sehalonet33ts", blocks_of(0, Gate::kSqueeze, halo(3))),
    of_50(
        "halonet50ts",
        with_heads(blocks_of(0, Gate::kNone, halo(3)), 4),
        blocks_of(0, Gate::kNone, halo(3))),
    of_26("eca_halonext26ts", true, blocks_of(16, Gate::kEca, halo(2, 16))),
    haloregnetz(),
};

const std::vector<Named> kBotNets{
    of_26("botnet26t_256", false, blocks_of(0, Gate::kNone, kAllPixels)),
    of_33("sebotnet33ts_256", blocks_of(0, Gate::kSqueeze, kAllPixels)),
    of_50(
        "botnet50ts_256",
        blocks_of(0, Gate::kNone, kAllPixels),
        blocks_of(0, Gate::kNone, kAllPixels)),
    of_26(
        "eca_botnext26ts_256",
        true,
        blocks_of(16, Gate::kEca, {.heads = 4, .head_width = 16})),
    halo2botnet50(),
};

Named ts_26(const char* name, Gate gate) {
  const Pair blocks = blocks_of(32, gate, {});
  return tiered(
      name,
      true,
      true,
      0,
      {stage(blocks, "bb", 256, 1),
       stage(blocks, "bb", 512),
       stage(blocks, "bb", 1024),
       stage(blocks, "bb", 2048)});
}

Named ts_33(const char* name, Gate gate, std::int64_t features = 1280) {
  const Pair blocks = blocks_of(0, gate, {});
  return tiered(
      name,
      false,
      true,
      features,
      {stage(blocks, "bb", 256, 1),
       stage(blocks, "bbb", 512),
       stage(blocks, "bbb", 1536),
       stage(blocks, "bb", 1536)});
}

// Networks of timm/models/byobnet.py.
const std::vector<Named> kTieredResNets{
    ts_26("resnext26ts", Gate::kNone),
    ts_26("seresnext26ts", Gate::kSqueeze),
    ts_26("eca_resnext26ts", Gate::kEca),
    ts_33("resnet32ts", Gate::kNone, /*features=*/0),
    ts_33("resnet33ts", Gate::kNone),
    ts_33("seresnet33ts", Gate::kSqueeze),
    ts_33("eca_resnet33ts", Gate::kEca),
};

// Returns the number of which image sides must be a multiple so that every
// attention layer has whole blocks.
std::int64_t whole_blocks(const ByobSpec& net) {
  std::int64_t multiple = 1;
  std::int64_t reduction = net.stem == ByobSpec::Stem::k3x3 ? 2 : 4;
  for (const Stage& blocks : net.stages) {
    std::int64_t stride = blocks.front().stride;
    for (const ByobBlocks& block : blocks) {
      if (block.kind == Kind::kSelfAttention) {
        multiple = std::lcm(
            multiple, reduction * (block.block > 0 ? block.block : stride));
      }
      reduction *= stride;
      stride = 1;
    }
  }
  return multiple;
}

void check_blocks(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  const ImageSize size = image_size_of(config, named);
  const std::int64_t multiple = whole_blocks(named.get<ByobSpec>());
  checker.require(
      size.height % multiple == 0 && size.width % multiple == 0,
      "model.image_size",
      fmt::format(
          "image_size {} does not divide into whole blocks for the attention "
          "of {}: a side has to be a multiple of {}",
          size.text(),
          named.name,
          multiple),
      {"model.name"});
}

} // namespace

const Family kHaloNet = byob_family<kHaloNets>("halonet", check_blocks);

const Family kBotNet =
    byob_family<kBotNets>("botnet", check_blocks, /*any_image_size=*/false);

const Family kTieredResNet =
    byob_family<kTieredResNets>("tiered_resnet", check_least<32>);

} // namespace vitrain::models
