#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "report/runs/curve.h"

namespace vitrain::report {

// Summary of a run's metrics.jsonl.
struct Records {
  Json start; // start record of the last process; null if there is none
  Json done; // end record of the last process; null if there is none yet
  std::int64_t starts = 0; // number of processes
  std::int64_t step = 0; // last completed step
  std::vector<Json> evaluations; // of the trained weights
  std::vector<Json> ema_evaluations; // of the averaged weights (EMA)
  // By name: "train.loss", "eval.top1", ...
  std::map<std::string, Curve, std::less<>> curves;
  // Sums over all train records: samples, and the seconds that they took.
  double samples = 0.0;
  double sample_seconds = 0.0;
  // Run time of all processes: from their end records, or else the sum over
  // their other records.
  double seconds = 0.0;

  // Returns null if there is no curve `name`.
  const Curve* curve(std::string_view name) const;
  // Returns an integer of the start record; nullopt if there is none.
  std::optional<std::int64_t> started_with(const char* key) const;
};

// Reads a metrics.jsonl that may still be written: each update() reads the
// lines added since, up to the last complete one. Skips lines that are not
// records. Reads a file again that has become shorter.
class RecordReader {
 public:
  explicit RecordReader(std::filesystem::path file) : file_(std::move(file)) {}

  // Reads the lines added since the last update. Throws Error(kStorage) if the
  // file cannot be read; a missing file counts as empty.
  void update();
  const Records& records() const { return records_; }

 private:
  void take(std::string_view line);
  void take_train(std::string_view line);
  void take_other(const Json& record);
  void begin_process(const Json& start);

  std::filesystem::path file_;
  std::uint64_t read_ = 0; // bytes read so far
  Records records_;
  double spent_ = 0.0; // seconds of the last process, as recorded so far
  double before_ = 0.0; // seconds of earlier processes
};

} // namespace vitrain::report
