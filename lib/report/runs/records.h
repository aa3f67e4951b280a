#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/json.h"
#include "report/runs/curve.h"

namespace vitrain::report {

// Summary of a run's metrics.jsonl.
struct Records {
  Json start; // start record of the last process; null: none
  Json done; // its end record; null: none yet
  std::int64_t starts = 0; // of processes
  std::int64_t step = 0; // the last one
  std::vector<Json> evaluations; // of the weights that are trained
  std::vector<Json> ema_evaluations; // of their average
  // "train.loss", "eval.top1", ...
  std::map<std::string, Curve, std::less<>> curves;
  // Over all train records.
  double samples = 0.0;
  double sample_seconds = 0.0;
  // Seconds of all processes, from their end records or the sum of their
  // records.
  double seconds = 0.0;

  // Returns null if there are no such points.
  const Curve* curve(std::string_view name) const;
  // Returns a number of the start record.
  std::optional<std::int64_t> started_with(const char* key) const;
};

// Reads a metrics.jsonl that may still be written: each update() reads added
// lines, up to the last complete one. Skips lines that are no records. Rereads
// a file that has become shorter.
class RecordReader {
 public:
  explicit RecordReader(std::filesystem::path file) : file_(std::move(file)) {}

  // Throws Error(kStorage) if the file cannot be read; a missing file has no
  // records.
  void update();
  const Records& records() const { return records_; }

 private:
  void take(std::string_view line);
  void take_train(std::string_view line);
  void take_other(const Json& record);
  void begin_process(const Json& start);

  std::filesystem::path file_;
  std::uint64_t read_ = 0; // bytes of the file
  Records records_;
  double spent_ = 0.0; // by the process that wrote last, as far as records say
  double before_ = 0.0; // by those before it
};

} // namespace vitrain::report
