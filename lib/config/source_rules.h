#pragma once

#include <string>
#include <vector>

#include "config/source.h"

namespace vitrain::config {

// A key of a source whose value does not go with its kind.
struct SourceProblem {
  const char* key; // below data.train or data.eval
  std::string text;
};

// Values that would have no effect, or none that the kind knows.
std::vector<SourceProblem> problems_of(const SourceConfig& source);

} // namespace vitrain::config
