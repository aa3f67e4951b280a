#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace vitrain {

// Objects keep the order in which keys were added: records read well.
using Json = nlohmann::ordered_json;

// One line of valid JSON. Non-finite numbers become the strings "nan", "inf"
// and "-inf"; invalid UTF-8 becomes U+FFFD.
std::string to_line(const Json& value);

// VITRAIN_JSON(Type, member, ...), in the namespace of Type: makes Json(value)
// an object with these members under their names, in this order, and
// json.get<Type>() the opposite, which throws Json::exception where one is
// missing or of another type. (The library's own macro does it for
// nlohmann::json alone.)
#define VITRAIN_JSON(Type, ...)                                                \
  inline void to_json(Json& nlohmann_json_j, const Type& nlohmann_json_t) {    \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))   \
  }                                                                            \
  inline void from_json(const Json& nlohmann_json_j, Type& nlohmann_json_t) {  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__)) \
  }

} // namespace vitrain
