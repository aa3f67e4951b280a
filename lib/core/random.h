#pragma once

#include <array>
#include <cstdint>

namespace vitrain {

// Purpose of random numbers, part of their key, so that no two purposes share
// numbers. The values define the data of published runs: do not change them.
enum class Purpose : std::uint32_t {
  kOrder = 1,
  kCrop = 2,
  kFlip = 3,
  kDropPath = 4,
  kShapes = 5,
  kInit = 6,
  kAugment = 7,
  kRandomImage = 8,
  kDropout = 9,
  kVectors = 10,
  kMix = 11,
  kErase = 12,
  kReplacement = 13,
  kVerticalFlip = 14,
  kColorJitter = 15,
  kGrayscale = 16,
  kBlur = 17,
  kSolarize = 18,
  kPatchMask = 19,
  kEvalPatchMask = 20,
  kEraseColour = 21,
  kEraseNumbers = 22,
};

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011): four 32-bit words as a pure function of key and
// counter.
std::array<std::uint32_t, 4> philox4x32(
    std::array<std::uint32_t, 4> counter,
    std::array<std::uint32_t, 2> key);

// Stream of random numbers that is a pure function of (seed, purpose, a, b),
// for example a = epoch and b = sample index. It does not depend on threads,
// prefetching or restarts. Cheap to construct.
class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b);

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform();
  // Uniform in [low, high); rounding may return `high`.
  double uniform(double low, double high);
  // Uniform integer in [0, n) without bias; n > 0.
  std::uint64_t below(std::uint64_t n);
  // Standard normal (Box-Muller).
  double normal();

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4; // number of words of block_ that have been returned
};

// Returns the natural logarithm of a sample from Gamma(shape, 1); shape > 0.
// The logarithm, because samples for small shapes are often below the smallest
// double.
double log_gamma_draw(Random& random, double shape);

// Returns a sample from Beta(a, b), in [0, 1]; a, b > 0.
double beta_draw(Random& random, double a, double b);

// A random permutation of [0, n), chosen by (n, seed, epoch), in O(1) memory,
// by a balanced Feistel network with cycle walking (Black, Rogaway: "Ciphers
// with arbitrary finite domains", CT-RSA 2002).
class KeyedPermutation {
 public:
  KeyedPermutation(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch);

  std::uint64_t size() const { return n_; }
  // Returns the element at a position; requires position < size().
  std::uint64_t operator()(std::uint64_t position) const;

 private:
  static constexpr int kRounds = 8;
  std::uint64_t n_;
  int half_bits_;
  std::array<std::uint64_t, kRounds> round_keys_;
};

} // namespace vitrain
