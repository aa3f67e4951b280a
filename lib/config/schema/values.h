#pragma once

#include <optional>
#include <string>

#include "config/load/document.h"
#include "config/schema/field.h"

namespace vitrain::config {

// What a field accepts: "integer in [1, 1024] or auto".
std::string expectation(const Field& field);

// Reads a node into the field's recipe. Absent when that succeeded, else the
// sentence that says what was expected and given; the recipe is then as before.
std::optional<std::string> read_value(const Field& field, const Node& node);

// The field's value as YAML: `1.0e-3`, `[bias, norm]`, `"a b"`, `null`.
std::string write_value(const Field& field);

} // namespace vitrain::config
