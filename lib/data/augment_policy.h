#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/random.h"
#include "data/augment_op.h"

namespace vitrain::data {

enum class PolicySource { kTimm, kTorchvision, kPaddleVit };
enum class PolicyKind { kRand, kAuto, kTrivial, kMix };

// A policy of random operations; docs/guide.md has the definitions.
struct PolicyOptions {
  PolicySource source = PolicySource::kTimm;
  PolicyKind kind = PolicyKind::kRand;
  std::string table; // kAuto: the table; kRand of timm: the set of operations
  int layers = 2; // kRand: operations one after the other
  double magnitude = 10; // kMix of torchvision: the severity
  int bins = 31; // magnitudes that torchvision tells apart
  double probability = 0.5; // kRand of timm: of each operation
  // Of timm's magnitudes: normal about `magnitude`; infinite: uniform in [0,
  // magnitude].
  double deviation = 0;
  double most = 10; // upper bound of timm's magnitudes
  bool increasing = false; // kRand of timm
  int width = 3; // kMix: chains ...
  int depth = 0; // ... of so many operations; 0: one to three
  double alpha = 1; // kMix
  bool blended = false; // kMix of timm
  bool all_ops = true; // kMix of torchvision
  // Absent: bilinear or bicubic, drawn for each operation.
  std::optional<image::Interpolation> interpolation =
      image::Interpolation::kBicubic;
  std::array<std::uint8_t, 3> fill{};
};

// Changes pixels in place, with all its draws from the given stream: a pure
// function of the options, the pixels and the stream. Thread-safe.
class AugmentPolicy {
 public:
  virtual ~AugmentPolicy() = default;
  virtual void apply(
      const image::Canvas& canvas,
      Random& random,
      AugmentScratch& scratch) const = 0;
};

std::unique_ptr<const AugmentPolicy> make_policy(const PolicyOptions& options);

} // namespace vitrain::data
