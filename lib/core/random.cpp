#include "core/random.h"

#include <cmath>
#include <numbers>

namespace vitrain {
namespace {

// SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014): a 64-bit mixer.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

std::uint32_t low32(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}

std::uint32_t high32(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}

} // namespace

std::array<std::uint32_t, 4> philox4x32(
    std::array<std::uint32_t, 4> counter,
    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {
        high32(p1) ^ counter[1] ^ key[0],
        low32(p1),
        high32(p0) ^ counter[3] ^ key[1],
        low32(p0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

Random::Random(
    std::uint64_t seed,
    Purpose purpose,
    std::uint64_t a,
    std::uint64_t b) {
  // The key is a hash of seed, purpose and a. The upper three counter words are
  // half of a's hash and b, because a and b do not fit.
  const std::uint64_t key =
      mix(seed ^ mix(static_cast<std::uint64_t>(purpose)) ^ (mix(a) << 1));
  key_ = {low32(key), high32(key)};
  counter_ = {0, low32(mix(a)), low32(b), high32(b)};
}

std::uint32_t Random::next_u32() {
  if (used_ == 4) {
    block_ = philox4x32(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t Random::next_u64() {
  const std::uint64_t high = next_u32();
  return (high << 32) | next_u32();
}

double Random::uniform() {
  return static_cast<double>(next_u64() >> 11) * 0x1.0p-53;
}

double Random::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

std::uint64_t Random::below(std::uint64_t n) {
  // Rejection of the incomplete last interval keeps every value equally likely.
  const std::uint64_t limit = n * (UINT64_MAX / n);
  std::uint64_t x = next_u64();
  while (x >= limit) {
    x = next_u64();
  }
  return x % n;
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

// Returns the logarithm of a gamma sample: Marsaglia, Tsang, "A simple method
// for generating gamma variables", ACM TOMS 26 (2000), exact by rejection for
// shapes of at least 1. For a smaller shape, a sample of shape + 1 is
// multiplied by u^(1 / shape).
double log_gamma_draw(Random& random, double shape) {
  if (shape < 1.0) {
    const double larger = log_gamma_draw(random, shape + 1.0);
    return larger + std::log(1.0 - random.uniform()) / shape;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random.normal();
    const double root = 1.0 + c * x;
    const double log_u = std::log(1.0 - random.uniform());
    if (root <= 0.0) {
      continue;
    }
    const double v = root * root * root;
    if (log_u < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return std::log(d) + std::log(v);
    }
  }
}

// Samples X / (X + Y), where X ~ Gamma(a) and Y ~ Gamma(b).
double beta_draw(Random& random, double a, double b) {
  const double log_x = log_gamma_draw(random, a);
  const double log_y = log_gamma_draw(random, b);
  return 1.0 / (1.0 + std::exp(log_y - log_x));
}

KeyedPermutation::KeyedPermutation(
    std::uint64_t n,
    std::uint64_t seed,
    std::uint64_t epoch)
    : n_(n), half_bits_(1) {
  while (half_bits_ < 32 && (std::uint64_t{1} << (2 * half_bits_)) < n) {
    ++half_bits_;
  }
  Random keys(seed, Purpose::kOrder, epoch, n);
  for (auto& key : round_keys_) {
    key = keys.next_u64();
  }
}

std::uint64_t KeyedPermutation::operator()(std::uint64_t position) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t x = position;
  do {
    std::uint64_t left = x >> half_bits_;
    std::uint64_t right = x & mask;
    for (const std::uint64_t key : round_keys_) {
      const std::uint64_t next = left ^ (mix(right ^ key) & mask);
      left = right;
      right = next;
    }
    x = (left << half_bits_) | right;
  } while (x >= n_);
  return x;
}

} // namespace vitrain
