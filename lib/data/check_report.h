#pragma once

#include <string>

#include "core/json.h"
#include "data/check_samples.h"

namespace vitrain::data {

// Formats the report for people: the most important facts of each dataset, and
// at most `examples` entries of each list (bad samples, duplicates, ...).
std::string to_text(const CheckReport& report, std::size_t examples);

// Returns the complete report as JSON.
Json to_json(const CheckReport& report);

} // namespace vitrain::data
