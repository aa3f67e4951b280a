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

// The bad training samples of a run: what the loaders of all workers have
// replaced, brought together, held against the limits and, on rank 0, listed in
// bad_samples.jsonl, every sample once. What is listed does not depend on how
// often that is done.
class BadSamples {
 public:
  // Of all workers, since the last gather().
  struct Gathered {
    std::int64_t found = 0; // new ones
    std::int64_t total = 0; // different ones so far in the run
    std::string example; // "where: reason" of the last new one
  };

  BadSamples(
      std::shared_ptr<const data::Index> index,
      const data::BadSampleLimits& limits)
      : ledger_(std::move(index), limits) {}

  // Rank 0: lists what is found in `file`. Records of later steps than `step`,
  // left there by a process that was ended, are removed; a file is made for the
  // first record only.
  void write_to(const std::filesystem::path& file, std::int64_t step);
  // What a checkpoint holds of it: to_json(), and this worker's replaced().
  void restore(
      const std::vector<std::int64_t>& saved,
      std::int64_t replaced = 0);

  // What this worker's loader replaced for optimizer step `step` (from 1).
  // Throws Error(kData) when the limits are passed already without knowing what
  // other workers have met.
  void take(std::int64_t step, std::span<const data::BadSample> bad);
  // Rows replaced by this worker since they were taken the last time.
  std::int64_t replaced() const { return replaced_; }
  std::int64_t take_replaced() { return std::exchange(replaced_, 0); }

  // Brings together what all workers have met. Throws Error(kData) on all of
  // them when that is more than the limits allow. Collective.
  Gathered gather(dist::Group& control);

  std::int64_t total() const { return ledger_.count(); }
  // Of the last gather(): the same on all ranks.
  Json to_json() const;

 private:
  void write(const Json& record);

  data::BadSampleLedger ledger_; // what all ranks know
  // What this worker has met since, a line of JSON each; and all it knows.
  std::vector<std::string> pending_;
  data::BadSampleLedger own_ = ledger_;
  std::int64_t replaced_ = 0;
  std::filesystem::path file_; // empty: not this rank's
  std::optional<logging::JsonlWriter> writer_;
};

} // namespace vitrain::engine
