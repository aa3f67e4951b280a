#pragma once

#include <cstdint>
#include <string>

namespace vitrain {

// The program whose definition of an augmentation is used.
enum class PolicySource { kTimm, kTorchvision, kPaddleVit };
enum class PolicyKind { kRand, kAuto, kTrivial, kMix };

// A parsed value of data.augment.auto_augment; docs/guide/augment.md has the
// definitions. Omitted values are the defaults of the original program.
struct AutoAugment {
  PolicySource source = PolicySource::kTimm;
  PolicyKind kind = PolicyKind::kRand;
  // kAuto: v0, v0r, original, originalr, 3a; imagenet, cifar10, svhn.
  // kRand of timm: the set of operations: empty, weights, 3a or 3aw.
  std::string table;
  std::int64_t layers = 2; // kRand: operations one after the other
  std::int64_t magnitude = 10; // kMix of torchvision: severity
  std::int64_t bins = 31; // number of torchvision's magnitude levels
  double probability = 0.5; // kRand of timm: of each operation
  double deviation = 0.0; // of timm's magnitudes; infinite: uniform from 0
  std::int64_t most = 10; // upper bound of timm's magnitudes
  bool increasing = false; // kRand of timm: larger magnitudes change more
  std::int64_t width = 3; // kMix: chains ...
  std::int64_t depth = 0; // ... of this many operations; 0: one to three
  double alpha = 1.0; // kMix: parameter of the Dirichlet and beta distributions
  bool blended = false; // kMix of timm: one chain after the other
  bool all_ops = true; // kMix of torchvision: with colour operations

  bool operator==(const AutoAugment&) const = default;
};

} // namespace vitrain
