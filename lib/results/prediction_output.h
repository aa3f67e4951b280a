#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/clock.h"
#include "logging/console.h"
#include "logging/progress.h"
#include "results/feature_file.h"
#include "results/output_file.h"
#include "results/prediction.h"
#include "results/prediction_table.h"

namespace vitrain::results {

// True if a file with these first bytes has the format of PredictionOutput's
// CSV or JSON lines. (That a table or list begins with a path is not enough.)
bool is_predictions_csv(std::string_view start);
bool is_predictions_jsonl(std::string_view start);

// Output of predictions to the requested files. With CSV or JSON lines, shows a
// live progress line on standard error; without both, prints a table on
// standard output.
class PredictionOutput {
 public:
  struct Options {
    std::optional<std::string> csv; // "-": standard output
    std::optional<std::string> jsonl; // as `csv`
    std::optional<std::string> features; // path of a FeatureFile
    std::vector<std::string> classes;
    std::int64_t top = 5; // number of classes per image
    std::int64_t images = 0; // number of images
    // Returns the path of an image.
    std::function<std::string_view(std::int64_t image)> path;
  };
  // Opens the files. Throws Error(kStorage), as add() and finish() do, and as
  // FeatureFile.
  explicit PredictionOutput(const Options& options);

  // Adds the predictions of the next images.
  void add(std::span<const Prediction> predictions);
  // Completes the files.
  void finish();
  // Prints on standard error the number of images, of unreadable ones, and the
  // paths of the results: CSV, JSON lines, features and `others`. Prints
  // nothing if there is a table, no image was unreadable, and there are no such
  // paths.
  void report(const std::vector<std::string>& others);
  // Number of images without a prediction.
  std::int64_t problems() const { return problems_; }

 private:
  void open_table();

  Options options_;
  PredictionLines lines_;
  std::optional<OutputFile> csv_;
  std::optional<OutputFile> jsonl_;
  std::optional<FeatureFile> features_;
  std::optional<PredictionTable> table_;
  logging::Console console_;
  logging::WorkProgress progress_;
  Stopwatch watch_;
  std::int64_t done_ = 0;
  std::int64_t problems_ = 0;
};

} // namespace vitrain::results
