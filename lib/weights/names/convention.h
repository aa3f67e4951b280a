#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "weights/archive.h"

namespace vitrain::weights {

// Memory layout of a tensor's values compared with timm's.
enum class Layout : std::uint8_t {
  kSame,
  kTransposed, // linear layer stored as [in, out]
  kHwio, // convolution stored as [H, W, in, out]
  // Linear layer stored as [in, heads, width]: outputs are split into heads.
  kHeadsOut,
  // Linear layer stored as [heads, width, out]: inputs are split into heads.
  kHeadsIn,
  kFlat, // stored with dimensions of 1 that timm lacks: [C, 1, 1] for [C]
  kUnfolded, // patch merging: the four neighbours are inside each channel
  kOtherColours, // convolution for images in BGR order
  kOneOfBatch, // positions without batch dimension: [positions, width]
  kOver1x1, // linear layer that timm has as a convolution: [out, in]
  // Linear layer that timm has as a 7x7 convolution: [out, in * 49].
  kOver7x7,
};

// Values of NameRule::third: the first third of a tensor; the last two thirds.
inline constexpr int kQuery = 1;
inline constexpr int kKeyAndValue = 4;

// Maps a tensor name to timm's.
// `from` is a pattern: # matches a number, * a last word (weight, bias), and @
// matches query, key or value (or q, k, v); timm has these in one tensor,
// either all three or the last two, so that several tensors get one name.
// In `to`, * is the word, and each number is represented, in order, by one of:
// # (the number), + (plus 1), - (minus 1), ~ (minus 3), % (half, rounded down),
// < (twice), > (twice plus 1), ! (omitted). Trailing numbers may be left out.
// An empty `to` means that timm has no such tensor.
// `third` splits a tensor that timm has as several: 0 takes the whole tensor,
// 1, 2, 3 take the query, key or value third, each by a rule of its own;
// kKeyAndValue takes the last two thirds.
struct NameRule {
  std::string_view from;
  std::string_view to;
  Layout layout = Layout::kSame;
  int third = 0;
};

// Names that one program uses for one family. A file follows the convention if
// each pattern in `signature` matches a tensor name, and none in `without`
// does.
struct Convention {
  std::string_view program; // a value of model.pretrained_names: "torchvision"
  std::string_view family; // name for messages: "ViT"
  // Optional prefixes of names, which are removed first: "backbone.".
  std::span<const std::string_view> prefixes;
  std::span<const std::string_view> signature;
  // The first matching rule without `third` applies, and every matching one
  // with `third` before it; names without a match are kept.
  std::span<const NameRule> rules;
  // Called before the rules, on names with their prefixes, for changes that no
  // pattern can express.
  void (*prepare)(Archive& archive) = [](Archive& /*archive*/) {};
  // For programs that number blocks consecutively over all stages: prefix of
  // the block number ("": not used), and the depths of the stages. The number
  // is replaced by two, the stage and the block in the stage, before the rules
  // apply.
  std::string_view counted = {};
  std::span<const std::int64_t> depths = {};
  // Patterns that must not match, because they identify another family whose
  // names also match `signature`.
  std::span<const std::string_view> without = {};
};

// One source file per program.
std::span<const Convention> torchvision_conventions();
std::span<const Convention> transformers_conventions();
std::span<const Convention> mmpretrain_conventions();
std::span<const Convention> original_conventions();
std::span<const Convention> flax_conventions();
std::span<const Convention> paddlevit_conventions();
std::span<const Convention> efficientnet_pytorch_conventions();

} // namespace vitrain::weights
