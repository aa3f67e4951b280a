#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain::config {

// Whose definition of an augmentation is meant.
enum class AugmentDefinition { kTimm, kTorchvision, kPaddleVit };
enum class AugmentPolicy { kRand, kAuto, kTrivial, kMix };

// What a text of data.augment.auto_augment says; the definitions are in
// docs/guide.md. Values that a text leaves out are those of its original.
struct AutoAugment {
  AugmentDefinition definition = AugmentDefinition::kTimm;
  AugmentPolicy policy = AugmentPolicy::kRand;
  // kAuto: v0, v0r, original, originalr, 3a; imagenet, cifar10, svhn.
  // kRand of timm: the set of operations: empty, weights, 3a or 3aw.
  std::string table;
  std::int64_t layers = 2; // kRand: operations one after the other
  std::int64_t magnitude = 10; // kMix of torchvision: severity
  std::int64_t bins = 31; // magnitudes that torchvision tells apart
  double probability = 0.5; // kRand of timm: of each operation
  double deviation = 0.0; // of timm's magnitudes; infinite: uniform from 0
  std::int64_t most = 10; // upper bound of timm's magnitudes
  bool increasing = false; // kRand of timm: larger magnitudes change more
  std::int64_t width = 3; // kMix: chains ...
  std::int64_t depth = 0; // ... of so many operations; 0: one to three
  double alpha = 1.0; // kMix: of the Dirichlet and beta laws
  bool blended = false; // kMix of timm: one chain after the other
  bool all_ops = true; // kMix of torchvision: with colour operations

  bool operator==(const AutoAugment&) const = default;
};

// Reads a text like rand-m9-mstd0.5-inc1, v0-mstd0.5, augmix-m5-w4-d2,
// torchvision:randaugment-n2-m9-b31 or paddlevit:randaugment-n2-m9. Empty when
// that succeeds, else what is wrong, where, and what would be right.
std::string parse_auto_augment(std::string_view text, AutoAugment& read);

// What is wrong with a text, or empty.
std::string fault_of_auto_augment(const std::string& text);

// timm's rule: with a policy there is no colour jitter, unless the policy is
// one of 3-Augment. True for texts that leave it on.
bool keeps_color_jitter(std::string_view auto_augment);

} // namespace vitrain::config
