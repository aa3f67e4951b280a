#include "data/load/bad_samples.h"

#include <algorithm>

#include "core/check.h"
#include "core/random.h"
#include "core/text.h"
#include "data/sources/sample_labels.h"

namespace vitrain::data {
namespace {

// Calls Rows::fill(). Throws Error(kData) for a row with defects if the policy
// rejects them.
RowDefects fill_or_reject(
    const Rows& rows,
    const BadSamplePolicy& policy,
    const Draw& draw,
    std::span<std::uint8_t> out,
    Rows::Scratch& scratch) {
  const RowDefects defects = rows.fill(draw, out, scratch);
  if (policy.reject_warnings) {
    const std::string problem = describe_defects(defects);
    VITRAIN_CHECK_DATA(
        problem.empty(),
        "{}: {} (data.decoder_warnings: reject)",
        rows.describe(draw.sample),
        problem);
  }
  return defects;
}

} // namespace

std::string describe_defects(const RowDefects& defects) {
  std::vector<std::string> parts;
  if (defects.warnings > 0) {
    parts.push_back(
        counted(defects.warnings, "defect") +
        " that the decoder worked around");
  }
  if (defects.clipped) {
    parts.emplace_back(
        "values outside 0 to 255 are clipped to black and white; try: "
        "data.preprocess.range, [0, 65535] for 16 bits");
  }
  return join(parts, "; ");
}

std::int64_t replacement_of(
    std::int64_t samples,
    std::uint64_t seed,
    const Draw& draw,
    int attempt) {
  Random random = stream(seed, Purpose::kReplacement, draw);
  std::uint64_t drawn = 0;
  for (int i = 0; i <= attempt; ++i) {
    drawn = random.below(static_cast<std::uint64_t>(samples));
  }
  return static_cast<std::int64_t>(drawn);
}

FilledRow fill_row(
    const Rows& rows,
    const BadSamplePolicy& policy,
    const Draw& draw,
    std::span<std::uint8_t> out,
    Rows::Scratch& scratch) {
  BadSample bad{.epoch = draw.epoch, .sample = draw.sample};
  try {
    const RowDefects defects = fill_or_reject(rows, policy, draw, out, scratch);
    return {.sample = draw.sample, .defects = defects};
  } catch (const Error& error) {
    if (error.code() != ExitCode::kData) {
      throw;
    }
    if (!policy.replace) {
      fail_data(
          "{}; `vitrain data check` finds all bad samples; "
          "data.on_bad_sample=replace takes others in their place in training",
          error.what());
    }
    bad.where = rows.describe(draw.sample);
    bad.reason = without_prefix(error.what(), bad.where + ": ");
  }
  for (int attempt = 0; attempt < kReplacementTries; ++attempt) {
    Draw other = draw;
    other.sample =
        replacement_of(rows.index().size(), policy.seed, draw, attempt);
    bad.replacement = other.sample;
    try {
      const RowDefects defects =
          fill_or_reject(rows, policy, other, out, scratch);
      return {.sample = bad.replacement, .defects = defects, .bad = bad};
    } catch (const Error& error) {
      if (error.code() != ExitCode::kData) {
        throw;
      }
    }
  }
  fail_data(
      "{}: {}; and {} of {} samples that were tried in its place are bad as "
      "well: check the dataset with `vitrain data check`",
      bad.where,
      bad.reason,
      kReplacementTries,
      kReplacementTries);
}

bool BadSampleLedger::add(std::int64_t sample) {
  return samples_.insert(sample).second;
}

void BadSampleLedger::check(const BadSample& last) const {
  const std::string example = fmt::format(
      "The last one is {}: {}. `vitrain data check` finds all of them",
      last.where,
      last.reason);
  const auto size = static_cast<double>(index_->size());
  VITRAIN_CHECK_DATA(
      count() <= limits_.count &&
          static_cast<double>(count()) <= limits_.fraction * size,
      "{} of {} training samples {} bad so far, more than data.bad_samples "
      "allows (limit {}, fraction {}). {}",
      with_commas(count()),
      with_commas(index_->size()),
      count() == 1 ? "is" : "are",
      with_commas(limits_.count),
      shortest(limits_.fraction),
      example);
  if (!index_->classes().empty()) {
    for_each_label(*index_, last.sample, [&](std::int64_t label) {
      check_class(label, example);
    });
  }
}

void BadSampleLedger::check_class(
    std::int64_t label,
    const std::string& example) const {
  const auto in_class = [&](std::int64_t sample) {
    return has_label(*index_, sample, label);
  };
  const auto bad = std::ranges::count_if(samples_, in_class);
  // Stops counting once the class has more samples than bad ones.
  std::int64_t others = 0;
  for (std::int64_t i = 0; i < index_->size() && others <= bad; ++i) {
    others += in_class(i) ? 1 : 0;
  }
  VITRAIN_CHECK_DATA(
      others > bad,
      "all {} training samples of class '{}' are bad, so it cannot be learned. "
      "{}",
      with_commas(bad),
      printable(index_->classes()[static_cast<std::size_t>(label)]),
      example);
}

} // namespace vitrain::data
