#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "data/load/rows.h"

namespace vitrain::data {

// Treatment of unreadable samples.
struct BadSamplePolicy {
  // True: another sample replaces it; false: it is an error.
  bool replace = false;
  // A sample is bad, too, when its decoder had to work around defects, or its
  // values were clipped.
  bool reject_warnings = false;
  std::uint64_t seed = 0; // of the replacements
};

// An unreadable sample and its replacement.
struct BadSample {
  std::int64_t epoch = 0;
  std::int64_t sample = 0;
  std::int64_t replacement = 0;
  std::string where; // Rows::describe()
  std::string reason;
};

// As many samples are tried in the place of a bad one.
inline constexpr int kReplacementTries = 16;

// The sample of `samples` that is tried in the place of a bad draw at
// `attempt`, from 0: a pure function of the arguments, uniform over the
// dataset.
std::int64_t replacement_of(
    std::int64_t samples,
    std::uint64_t seed,
    const Draw& draw,
    int attempt);

// Content of a row.
struct FilledRow {
  std::int64_t sample = 0; // the requested sample, or its replacement
  RowDefects defects;
  std::optional<BadSample> bad;
};

// What to say of a sample with such defects; "" for one without.
std::string describe_defects(const RowDefects& defects);

// Calls Rows::fill() under a policy. The result depends only on the arguments
// and on which samples are bad, not on threads or earlier rows. Throws
// Error(kData) that names the sample if it is bad and not to be replaced, or if
// kReplacementTries replacements are bad too.
FilledRow fill_row(
    const Rows& rows,
    const BadSamplePolicy& policy,
    const Draw& draw,
    std::span<std::uint8_t> out,
    Rows::Scratch& scratch);

// How many different bad samples a run puts up with: both limits hold.
struct BadSampleLimits {
  std::int64_t count = 100;
  double fraction = 0.01; // of the samples of the dataset
};

// The different bad samples of a run so far.
class BadSampleLedger {
 public:
  BadSampleLedger(
      std::shared_ptr<const Index> index,
      const BadSampleLimits& limits)
      : index_(std::move(index)), limits_(limits) {}

  std::int64_t count() const { return std::ssize(samples_); }
  const std::set<std::int64_t>& samples() const { return samples_; }
  // False when the sample is known already.
  bool add(std::int64_t sample);
  // Throws Error(kData) with the counts when there are more than the limits
  // allow, or when no sample of a class is left. `last` is shown as an example.
  void check(const BadSample& last) const;

 private:
  void check_class(std::int64_t label, const std::string& example) const;

  std::shared_ptr<const Index> index_;
  BadSampleLimits limits_;
  std::set<std::int64_t> samples_;
};

} // namespace vitrain::data
