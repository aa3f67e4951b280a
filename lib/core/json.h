#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace vitrain {

// Objects keep the order in which keys were added, so that written files list
// keys in the order that the code chose, not alphabetically.
using Json = nlohmann::ordered_json;

// Returns the value as valid JSON on one line, without newline. Non-finite
// numbers become the strings "nan", "inf" and "-inf"; invalid UTF-8 becomes
// U+FFFD.
std::string to_line(const Json& value);

// VITRAIN_JSON(Type, member, ...), in the namespace of Type, defines the
// conversions of a struct: Json(value) is an object with the members as keys,
// in this order; json.get<Type>() converts back, and throws Json::exception if
// a member is missing or not convertible (numbers and booleans convert to any
// number type). (The library's own macro supports only nlohmann::json.)
#define VITRAIN_JSON(Type, ...)                                                \
  inline void to_json(Json& nlohmann_json_j, const Type& nlohmann_json_t) {    \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))   \
  }                                                                            \
  inline void from_json(const Json& nlohmann_json_j, Type& nlohmann_json_t) {  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__)) \
  }

} // namespace vitrain
