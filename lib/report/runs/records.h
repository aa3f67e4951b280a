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

// What the records in metrics.jsonl say of a run, brought together.
struct Records {
  Json start; // of the process that wrote last; null: there is none
  Json done; // what that process said at its end; null: nothing yet
  std::int64_t starts = 0; // of processes
  std::int64_t step = 0; // the last one
  std::vector<Json> evaluations; // of the weights that are trained
  std::vector<Json> ema_evaluations; // of their average
  // "train.loss", "eval.top1", ...
  std::map<std::string, Curve, std::less<>> curves;
  // Over all train records.
  double samples = 0.0;
  double sample_seconds = 0.0;
  // Of all processes: as they said at their end, or what their records sum to.
  double seconds = 0.0;

  // Null where there are no such points.
  const Curve* curve(std::string_view name) const;
  // A number of the start record.
  std::optional<std::int64_t> started_with(const char* key) const;
};

// Reads a metrics.jsonl that may still be written: each update() takes what has
// been added since, up to the last whole line. Lines that are no records are
// passed over. A file that is shorter than it was is read anew.
class RecordReader {
 public:
  explicit RecordReader(std::filesystem::path file) : file_(std::move(file)) {}

  // Throws Error(kStorage) for a file that cannot be read; one that is not
  // there has no records.
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
