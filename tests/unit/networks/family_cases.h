#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/families/family.h"
#include "models/families/spec.h"

// A family at small and awkward sizes against timm: its test is a file of this
// folder that names cases, and tests/golden/models/families/FAMILY.py, which
// has the same ones. What all of them hold is in family_cases.cpp.
namespace vitrain::networks {

struct FamilyCase {
  const char* name; // in the fixture
  const char* model; // whose numbers are changed
  ImageSize size;
  std::function<void(models::ModelSpec&)> change;
  // Relative error of logits under bf16: 2^-9 a rounding, some dozens in a row.
  double bf16_error = 0.1;
  const char* family = ""; // of the fixture; family_cases() sets it
};

class Families : public testing::TestWithParam<FamilyCase> {};

inline auto family_cases(const char* family, std::vector<FamilyCase> cases) {
  for (FamilyCase& one : cases) {
    one.family = family;
  }
  return testing::ValuesIn(std::move(cases));
}

inline std::string case_name(const testing::TestParamInfo<FamilyCase>& test) {
  return test.param.name;
}

// `spec` with a change of its family's own numbers.
template <typename Numbers, typename Change>
void change_numbers(models::ModelSpec& spec, const Change& change) {
  auto numbers = spec.get<Numbers>();
  change(numbers);
  spec.numbers = numbers;
}

} // namespace vitrain::networks
