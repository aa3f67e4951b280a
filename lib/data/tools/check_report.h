#pragma once

#include <string>

#include "core/text/json.h"
#include "data/tools/check_samples.h"

namespace vitrain::data {

// The report for a person: what matters of each dataset, a few examples of each
// kind of finding; at most `examples` lines of each.
std::string to_text(const CheckReport& report, std::size_t examples);

// All of it.
Json to_json(const CheckReport& report);

} // namespace vitrain::data
