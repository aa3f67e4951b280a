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

// Adapter of a Rows object that fills the rows of unreadable samples, for which
// that object throws Error(kData), with zeros and records these samples.
class TolerantRows final : public Rows {
 public:
  // `rows` must outlive this object. `reject_warnings`: treats samples with
  // RowDefects as unreadable, too.
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

  // Returns why a sample was unreadable, as printable text; "" if fill() read
  // it or was not called for it.
  std::string problem(std::int64_t sample) const;
  // Returns the samples read so far whose values were clipped; empty with
  // `reject_warnings`.
  std::set<std::int64_t> clipped() const;

 private:
  const Rows& rows_;
  bool reject_warnings_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, std::string> problems_; // guarded by mutex_
  mutable std::set<std::int64_t> clipped_; // guarded by mutex_
};

} // namespace vitrain::data
