#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/clock.h"
#include "logging/terminal/console.h"
#include "logging/terminal/progress.h"
#include "results/files/output_file.h"
#include "results/files/prediction_table.h"
#include "results/prediction.h"

namespace vitrain::results {

// Return true if a file with these first bytes was written by PredictionOutput;
// other lists and tables may begin with a path, too.
bool is_predictions_csv(std::string_view start);
bool is_predictions_jsonl(std::string_view start);

// Where predictions go: the files that were asked for, with a live line on the
// error stream meanwhile, and else a table on standard output.
class PredictionOutput {
 public:
  struct Options {
    std::optional<std::string> csv; // "-": standard output
    std::optional<std::string> jsonl;
    std::vector<std::string> classes;
    std::int64_t top = 5; // classes of each image
    std::int64_t images = 0;
    // Returns the name of an image.
    std::function<std::string_view(std::int64_t image)> path;
  };
  // Opens the files. Throws as OutputFile.
  explicit PredictionOutput(const Options& options);

  // The predictions of the images that come next.
  void add(std::span<const Prediction> predictions);
  // Completes the files.
  void finish();
  // Where a table does not show it, says how it went and where the results are,
  // in these other files, too.
  void report(const std::vector<std::string>& others);
  // Images of which there was nothing to say.
  std::int64_t problems() const { return problems_; }

 private:
  void open_table();

  Options options_;
  PredictionLines lines_;
  std::optional<OutputFile> csv_;
  std::optional<OutputFile> jsonl_;
  std::optional<PredictionTable> table_;
  logging::Console console_;
  logging::WorkProgress progress_;
  Stopwatch watch_;
  std::int64_t done_ = 0;
  std::int64_t problems_ = 0;
};

} // namespace vitrain::results
