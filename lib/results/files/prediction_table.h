#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logging/terminal/terminal_style.h"
#include "results/prediction.h"

namespace vitrain::results {

// Predictions for people: a line for each image with its path and classes in
// columns, or, of a few images, a block each with a bar for each class.
class PredictionTable {
 public:
  struct Layout {
    std::int64_t images = 0;
    int path_columns = 0; // of the longest path
    std::int64_t top = 5; // classes of each image
    bool narrow = false; // true: shorten to style.columns
    logging::TerminalStyle style;
  };
  PredictionTable(
      const std::vector<std::string>& classes,
      const Layout& layout);

  // Ends with a newline. `path` is printable.
  std::string row(const std::string& path, const Prediction& prediction) const;

 private:
  std::string line(const std::string& path, const Prediction& prediction) const;
  std::string block(const std::string& path, const Prediction& prediction)
      const;

  std::vector<std::string> classes_; // printable
  Layout layout_;
  int path_columns_ = 0;
  int name_columns_ = 0;
  std::int64_t shown_ = 0; // classes in a line
};

} // namespace vitrain::results
