#pragma once

#include <cstdint>
#include <string>

namespace vitrain {

// Program whose definition of an augmentation is used.
enum class PolicySource { kTimm, kTorchvision, kPaddleVit };
enum class PolicyKind { kRand, kAuto, kTrivial, kMix };

// A parsed value of data.augment.auto_augment; docs/guide/augment.md has the
// definitions. Omitted values are the defaults of the original program.
struct AutoAugment {
  PolicySource source = PolicySource::kTimm;
  PolicyKind kind = PolicyKind::kRand;
  // kAuto: name of the policy: v0, v0r, original, originalr, 3a; imagenet,
  // cifar10, svhn. kRand of timm: name of the set of operations: empty,
  // weights, 3a or 3aw.
  std::string table;
  std::int64_t layers = 2; // kRand: operations applied one after the other
  std::int64_t magnitude = 10; // kMix of torchvision: severity
  std::int64_t bins = 31; // number of torchvision's magnitude levels
  double probability = 0.5; // kRand of timm: probability of each operation
  // Standard deviation of timm's magnitudes; infinite: uniform from 0.
  double deviation = 0.0;
  std::int64_t most = 10; // upper limit of timm's magnitudes
  // kRand of timm: use operations whose effect grows with the magnitude.
  bool increasing = false;
  std::int64_t width = 3; // kMix: number of chains
  std::int64_t depth = 0; // kMix: operations per chain; 0: random, one to three
  double alpha = 1.0; // kMix: parameter of the Dirichlet and beta distributions
  bool blended = false; // kMix of timm: blend the chains one after the other
  bool all_ops = true; // kMix of torchvision: also use colour operations

  bool operator==(const AutoAugment&) const = default;
};

} // namespace vitrain
