#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "data/load/rows.h"

namespace vitrain::data {

// Rows in which unreadable samples are zero and recorded instead of being
// errors.
class TolerantRows final : public Rows {
 public:
  // `rows` must outlive this. `reject_warnings`: samples with RowDefects
  // cannot be read either.
  TolerantRows(const Rows& rows, bool reject_warnings);

  std::size_t bytes() const override { return rows_.bytes(); }
  std::unique_ptr<Scratch> make_scratch() const override {
    return rows_.make_scratch();
  }
  RowDefects fill(
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const override;
  std::string describe(std::int64_t sample) const override {
    return rows_.describe(sample);
  }

  // Why a sample whose row was filled could not be read, printable; "": it
  // could.
  std::string problem(std::int64_t sample) const;
  // Samples so far whose values were clipped, by number.
  std::set<std::int64_t> clipped() const;

 private:
  const Rows& rows_;
  bool reject_warnings_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, std::string> problems_; // under mutex_
  mutable std::set<std::int64_t> clipped_; // under mutex_
};

} // namespace vitrain::data
