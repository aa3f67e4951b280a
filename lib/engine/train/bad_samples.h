#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "data/load/bad_samples.h"
#include "dist/group/group.h"
#include "logging/record_files.h"

namespace vitrain::engine {

// Bad samples of all workers since the last BadSamples::gather().
struct GatheredBadSamples {
  std::int64_t found = 0; // samples not known before
  std::int64_t total = 0; // different samples so far in the run
  std::string example; // "where: reason" of the last new one
};

// Bad training samples of a run, which the loaders replaced by other samples:
// gathered from all workers, checked against the limits and, on rank 0, listed
// in bad_samples.jsonl, each sample once. The list does not depend on how often
// gather() is called.
class BadSamples {
 public:
  BadSamples(
      std::shared_ptr<const data::Index> index,
      const data::BadSampleLimits& limits)
      : ledger_(std::move(index), limits) {}

  // Rank 0: lists bad samples in `file`. Removes records of steps after `step`,
  // which a killed process may have left; creates the file with the first
  // record.
  void write_to(const std::filesystem::path& file, std::int64_t step);
  // Restores the state of a checkpoint: `saved`, the sample numbers of
  // to_json(), and this worker's replaced().
  void restore(
      const std::vector<std::int64_t>& saved,
      std::int64_t replaced = 0);

  // Adds samples that this worker's loader replaced in optimizer step `step`
  // (from 1). Throws Error(kData) if these and the samples known before exceed
  // the limits.
  void take(std::int64_t step, std::span<const data::BadSample> bad);
  // Number of rows that this worker's loader replaced since the last
  // take_replaced().
  std::int64_t replaced() const { return replaced_; }
  std::int64_t take_replaced() { return std::exchange(replaced_, 0); }

  // Gathers the new bad samples of all workers. Throws Error(kData) on all
  // ranks if all bad samples known so far exceed the limits. Collective.
  GatheredBadSamples gather(dist::Group& control);

  // Number of different bad samples known at the last gather().
  std::int64_t total() const { return ledger_.count(); }
  // Returns the list of the sample numbers known at the last gather(), equal on
  // all ranks.
  Json to_json() const;

 private:
  void write(const Json& record);

  data::BadSampleLedger ledger_; // samples known to all ranks
  // New bad samples of this worker since the last gather(), one line of JSON
  // each.
  std::vector<std::string> pending_;
  data::BadSampleLedger own_ = ledger_; // all samples known to this worker
  std::int64_t replaced_ = 0;
  std::filesystem::path file_; // empty on ranks that do not write
  std::optional<logging::JsonlWriter> writer_;
};

} // namespace vitrain::engine
