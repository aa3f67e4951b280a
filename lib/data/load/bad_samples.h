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

// Treatment of bad samples. A sample is bad if Rows::fill() throws Error(kData)
// for it.
struct BadSamplePolicy {
  // True: a random other sample replaces a bad one. False: a bad sample is an
  // error.
  bool replace = false;
  // Also treats samples with RowDefects as bad: the decoder worked around
  // defects, or values were clipped.
  bool reject_warnings = false;
  std::uint64_t seed = 0; // seed of the choice of replacements
};

// A bad sample and its replacement.
struct BadSample {
  std::int64_t epoch = 0;
  std::int64_t sample = 0;
  std::int64_t replacement = 0;
  std::string where; // location from Rows::describe()
  std::string reason; // does not repeat `where`
};

// Maximum number of replacements tried for one bad sample.
inline constexpr int kReplacementTries = 16;

// Returns the sample, in [0, samples), that replaces a bad draw at the given
// attempt (from 0). A pure function of the arguments, uniform over the dataset:
// may return the bad sample itself.
std::int64_t replacement_of(
    std::int64_t samples,
    std::uint64_t seed,
    const Draw& draw,
    int attempt);

// Result of filling a row.
struct FilledRow {
  std::int64_t sample = 0; // the requested sample or its replacement
  RowDefects defects; // of `sample`
  std::optional<BadSample> bad; // set if `sample` is a replacement
};

// Returns the defects as text for messages; "" if there are none.
std::string describe_defects(const RowDefects& defects);

// Calls Rows::fill() for a draw and applies the policy to bad samples. The
// result depends only on the arguments and on which samples are bad, not on
// threads or earlier rows. Throws Error(kData) naming the sample if it is bad
// and the policy does not replace it, or if kReplacementTries replacements are
// bad too. Errors with other codes are passed on.
FilledRow fill_row(
    const Rows& rows,
    const BadSamplePolicy& policy,
    const Draw& draw,
    std::span<std::uint8_t> out,
    Rows::Scratch& scratch);

// Maximum number of distinct bad samples in a run; neither may be exceeded.
struct BadSampleLimits {
  std::int64_t count = 100;
  double fraction = 0.01; // share of the dataset's samples
};

// Set of the distinct bad samples that a run has met so far.
class BadSampleLedger {
 public:
  BadSampleLedger(
      std::shared_ptr<const Index> index,
      const BadSampleLimits& limits)
      : index_(std::move(index)), limits_(limits) {}

  std::int64_t count() const { return std::ssize(samples_); }
  const std::set<std::int64_t>& samples() const { return samples_; }
  // Records a bad sample. Returns false if it was recorded before.
  bool add(std::int64_t sample);
  // Throws Error(kData) with the counts if a limit is exceeded, or if all
  // samples of a class that `last` belongs to are bad. The message shows `last`
  // as an example.
  void check(const BadSample& last) const;

 private:
  void check_class(std::int64_t label, const std::string& example) const;

  std::shared_ptr<const Index> index_;
  BadSampleLimits limits_;
  std::set<std::int64_t> samples_;
};

} // namespace vitrain::data
