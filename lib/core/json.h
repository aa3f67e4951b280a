#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace vitrain {

// Objects keep the order in which keys were added: records read well.
using Json = nlohmann::ordered_json;

// One line of valid JSON. Non-finite numbers become the strings "nan", "inf"
// and "-inf"; invalid UTF-8 becomes U+FFFD.
std::string to_line(const Json& value);

} // namespace vitrain
