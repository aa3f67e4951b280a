#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/text/json.h"
#include "data/load/bad_samples.h"
#include "dist/group/group.h"
#include "logging/records/record_files.h"

namespace vitrain::engine {

// The bad training samples of a run, which the loaders replaced: gathered from
// all workers, checked against the limits and, on rank 0, listed in
// bad_samples.jsonl, every sample once. The list does not depend on the
// frequency of gathering.
class BadSamples {
 public:
  // Bad samples of all workers since the last gather().
  struct Gathered {
    std::int64_t found = 0; // new ones
    std::int64_t total = 0; // different ones so far in the run
    std::string example; // "where: reason" of the last new one
  };

  BadSamples(
      std::shared_ptr<const data::Index> index,
      const data::BadSampleLimits& limits)
      : ledger_(std::move(index), limits) {}

  // Rank 0: lists bad samples in `file`. Removes records of steps after `step`,
  // which a killed process may have left; creates the file with the first
  // record.
  void write_to(const std::filesystem::path& file, std::int64_t step);
  // Restores the state of a checkpoint: to_json(), and this worker's
  // replaced().
  void restore(
      const std::vector<std::int64_t>& saved,
      std::int64_t replaced = 0);

  // Adds samples that this worker's loader replaced in optimizer step `step`
  // (from 1). Throws Error(kData) if this worker alone exceeds the limits.
  void take(std::int64_t step, std::span<const data::BadSample> bad);
  // Rows replaced by this worker since the last take_replaced().
  std::int64_t replaced() const { return replaced_; }
  std::int64_t take_replaced() { return std::exchange(replaced_, 0); }

  // Brings together what all workers have met. Throws Error(kData) on all of
  // them when that is more than the limits allow. Collective.
  Gathered gather(dist::Group& control);

  std::int64_t total() const { return ledger_.count(); }
  // State after the last gather(), equal on all ranks.
  Json to_json() const;

 private:
  void write(const Json& record);

  data::BadSampleLedger ledger_; // what all ranks know
  // This worker's samples since then, one line of JSON each; and all samples
  // known to it.
  std::vector<std::string> pending_;
  data::BadSampleLedger own_ = ledger_;
  std::int64_t replaced_ = 0;
  std::filesystem::path file_; // empty on ranks that do not write
  std::optional<logging::JsonlWriter> writer_;
};

} // namespace vitrain::engine
