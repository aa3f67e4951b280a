#pragma once

#include <optional>
#include <string>

#include "config/schema/document.h"
#include "config/schema/field.h"

namespace vitrain::config {

// Returns a description of the values that a field accepts: "integer in [1,
// 1024] or auto".
std::string expectation(const Field& field);

// Reads a node into the field's recipe. Returns nullopt on success; otherwise a
// sentence with the expected and the given value, and leaves the recipe
// unchanged.
std::optional<std::string> read_value(const Field& field, const Node& node);

// Returns the field's value as YAML: `1.0e-05`, `[bias, norm]`, `"a b"`; for no
// value, Field::none.
std::string write_value(const Field& field);

} // namespace vitrain::config
