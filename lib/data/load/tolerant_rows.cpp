#include "data/load/tolerant_rows.h"

#include <algorithm>

#include "core/check.h"
#include "core/text.h"
#include "data/load/bad_samples.h"

namespace vitrain::data {

TolerantRows::TolerantRows(const Rows& rows, bool reject_warnings)
    // Refers to the index of `rows` without owning it.
    : Rows(std::shared_ptr<const Index>(
          std::shared_ptr<const Index>(),
          &rows.index())),
      rows_(rows),
      reject_warnings_(reject_warnings) {}

RowDefects TolerantRows::fill(
    const Draw& draw,
    std::span<std::uint8_t> out,
    Scratch& scratch) const {
  std::string problem;
  try {
    const RowDefects defects = rows_.fill(draw, out, scratch);
    problem = reject_warnings_ ? describe_defects(defects) : "";
    if (problem.empty()) {
      if (defects.clipped) {
        const std::lock_guard lock(mutex_);
        clipped_.insert(draw.sample);
      }
      return defects;
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::kData) {
      throw;
    }
    problem = without_prefix(error.what(), describe(draw.sample) + ": ");
  }
  std::ranges::fill(out, std::uint8_t{0});
  const std::lock_guard lock(mutex_);
  problems_.insert_or_assign(draw.sample, std::move(problem));
  return {};
}

std::set<std::int64_t> TolerantRows::clipped() const {
  const std::lock_guard lock(mutex_);
  return clipped_;
}

std::string TolerantRows::problem(std::int64_t sample) const {
  const std::lock_guard lock(mutex_);
  const auto found = problems_.find(sample);
  return found == problems_.end() ? "" : found->second;
}

} // namespace vitrain::data
