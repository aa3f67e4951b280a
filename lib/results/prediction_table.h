#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logging/terminal_style.h"
#include "results/prediction.h"

namespace vitrain::results {

// Table of predictions for users: a line per image with its path and classes in
// columns, or, for up to three images on a terminal, a block per image with a
// bar per class.
class PredictionTable {
 public:
  struct Layout {
    std::int64_t images = 0;
    int path_columns = 0; // width of the longest path
    std::int64_t top = 5; // number of classes per image
    // For a terminal: fits an image's line into style.columns by shortening
    // path and names and by showing fewer classes (not messages of problems,
    // nor a block's path), and allows blocks.
    bool narrow = false;
    logging::TerminalStyle style;
  };
  PredictionTable(
      const std::vector<std::string>& classes,
      const Layout& layout);

  // Returns the line or block of an image; it ends with a newline. `path` must
  // be printable.
  std::string row(const std::string& path, const Prediction& prediction) const;

 private:
  std::string line(const std::string& path, const Prediction& prediction) const;
  std::string block(const std::string& path, const Prediction& prediction)
      const;

  std::vector<std::string> classes_; // printable
  Layout layout_;
  int path_columns_ = 0;
  int name_columns_ = 0;
  std::int64_t shown_ = 0; // number of classes in a line
};

} // namespace vitrain::results
