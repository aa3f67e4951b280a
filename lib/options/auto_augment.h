#pragma once

#include <cstdint>
#include <string>

namespace vitrain {

// Whose definition of an augmentation is meant.
enum class PolicySource { kTimm, kTorchvision, kPaddleVit };
enum class PolicyKind { kRand, kAuto, kTrivial, kMix };

// What a text of data.augment.auto_augment says; the definitions are in
// docs/guide.md. Values that a text leaves out are those of its original.
struct AutoAugment {
  PolicySource source = PolicySource::kTimm;
  PolicyKind kind = PolicyKind::kRand;
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

} // namespace vitrain
