#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "weights/archive.h"

namespace vitrain::weights {

// How the values of a tensor lie, compared with timm's.
enum class Layout : std::uint8_t {
  kSame,
  kTransposed, // a linear layer's [in, out]
  kHwio, // a convolution's [H, W, in, out]
  kHeadsOut, // [in, heads, width]: a linear layer whose outputs are heads
  kHeadsIn, // [heads, width, out]: one whose inputs are
  kFlat, // with dimensions of 1 that are not there: [C, 1, 1]
  kUnfolded, // the four neighbours of a merged patch inside each channel
  kOtherColours, // a convolution of images whose colours are BGR
  kOneOfBatch, // positions without the batch's dimension: [positions, width]
};

// Values of NameRule::third: the first third of a tensor; the second and third
// together.
inline constexpr int kQuery = 1;
inline constexpr int kKeyAndValue = 4;

// How a name becomes timm's. In `from`, # stands for a whole number, * for a
// last word (weight, bias) and @ for query, key or value (or q, k, v), which
// timm has in one tensor, all of them or the last two. `to` has for each
// number, in their order, one of # (itself), + (one more), - (one less), ~
// (three less), % (half of it, rounded down), < (twice it), > (twice it and
// one) and ! (left out), and need not use the last ones; * is the word; "":
// timm has no such tensor. `third` 1, 2, 3: the third of this tensor that is
// query, key or value, which timm has apart, by a rule each; kKeyAndValue: the
// last two thirds, which timm has together.
struct NameRule {
  std::string_view from;
  std::string_view to;
  Layout layout = Layout::kSame;
  int third = 0;
};

// The names of one program for one family. A file is of it when each pattern
// of `signature` is the name of some tensor in it, and none of `without` is.
struct Convention {
  std::string_view program; // "torchvision": a value of model.pretrained_names
  std::string_view family; // "ViT", for people
  // Optional prefixes of names, which are removed: "backbone.".
  std::span<const std::string_view> prefixes;
  std::span<const std::string_view> signature;
  // The first matching rule applies; names without a match stay.
  std::span<const NameRule> rules;
  // Before that: what no pattern can say.
  void (*prepare)(Archive& archive) = [](Archive& /*archive*/) {};
  // Prefix of a block's number, for programs that number blocks through all
  // stages, and the stages' depths. In rules, the number is replaced by two:
  // the stage, and the block in the stage.
  std::string_view counted = {};
  std::span<const std::int64_t> depths = {};
  // Patterns that must not occur: they identify another family whose names also
  // match `signature`.
  std::span<const std::string_view> without = {};
};

// One file for each program.
std::span<const Convention> torchvision_conventions();
std::span<const Convention> transformers_conventions();
std::span<const Convention> mmpretrain_conventions();
std::span<const Convention> original_conventions();
std::span<const Convention> flax_conventions();
std::span<const Convention> paddlevit_conventions();
std::span<const Convention> efficientnet_pytorch_conventions();

} // namespace vitrain::weights
