#pragma once

#include <cstdint>
#include <string>

namespace vitrain {

// Program whose definition of an augmentation is used.
enum class PolicySource { kTimm, kTorchvision, kPaddleVit };
enum class PolicyKind { kRand, kAuto, kTrivial, kMix };

// A parsed value of data.augment.auto_augment (docs/guide/augment.md). The
// defaults below are those of timm's rand; parse_auto_augment() sets the
// defaults of the other policies.
struct AutoAugment {
  PolicySource source = PolicySource::kTimm;
  PolicyKind kind = PolicyKind::kRand;
  // kAuto: name of the policy: v0, v0r, original, originalr, 3a (timm);
  // imagenet, cifar10, svhn (torchvision); original (PaddleViT). kRand of timm:
  // name of the set of operations: empty, weights, 3a or 3aw.
  std::string table;
  std::int64_t layers = 2; // kRand: operations applied one after the other
  // kRand, kMix: magnitude of the operations, where 10 is timm's full strength
  // and torchvision counts levels from 0. kMix of torchvision: severity; levels
  // are random below it.
  std::int64_t magnitude = 10;
  // kRand, kTrivial of torchvision: number of magnitude levels.
  std::int64_t bins = 31;
  // kRand of timm and PaddleViT: probability of each operation.
  double probability = 0.5;
  // timm, PaddleViT: standard deviation of an operation's magnitude; infinite:
  // uniform from 0 to the magnitude.
  double deviation = 0.0;
  std::int64_t most = 10; // timm, PaddleViT: upper limit of random magnitudes
  // kRand of timm and PaddleViT: use operations whose effect grows with the
  // magnitude.
  bool increasing = false;
  std::int64_t width = 3; // kMix: number of chains
  std::int64_t depth = 0; // kMix: operations per chain; 0: random, one to three
  double alpha = 1.0; // kMix: parameter of the Dirichlet and beta distributions
  bool blended = false; // kMix of timm: blend the chains one after the other
  bool all_ops = true; // kMix of torchvision: also use colour operations

  bool operator==(const AutoAugment&) const = default;
};

} // namespace vitrain
