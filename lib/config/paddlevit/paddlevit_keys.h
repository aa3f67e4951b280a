#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/paddlevit/paddlevit_schema.h"
#include "config/sections/recipe.h"

namespace vitrain::config::paddlevit {

// What one of PaddleViT's keys is here.
struct Meaning {
  std::string_view key; // "TRAIN.BASE_LR"
  // The keys of the recipe that it sets, between blanks; empty: it sets none.
  std::string_view sets;
  // What else there is to know; of a key that sets none: why.
  std::string_view note;
};

// One for every key, in the order of the schema.
std::span<const Meaning> meanings();

// A value that the trainer cannot do what PaddleViT does with.
struct Limit {
  std::string_view key;
  // Evaluation needs it too; else training only.
  bool always;
  bool (*holds)(const Config&);
  std::string_view text; // what is missing
  // The value with which training goes on without it; empty: none does.
  std::string_view off;
};
std::span<const Limit> limits();

// The defaults of a family (MODEL.TYPE). Families without defaults here are
// refused by limits().
Config defaults_of(std::string_view family);

// The recipe of a config whose limits hold. data.*.path are left as they are:
// they follow DATA.DATA_PATH as they follow -data_path.
Recipe translate(const Config& config, bool training);

} // namespace vitrain::config::paddlevit
