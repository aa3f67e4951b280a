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

// What becomes of a value that the trainer cannot do what PaddleViT does with.
enum class Otherwise {
  kRefused, // evaluation needs it too
  kNotTrained, // only training is refused
  kTrainedWithout, // a note says so
};

struct Limit {
  std::string_view key;
  Otherwise otherwise;
  bool (*holds)(const Config&);
  std::string_view text; // what is missing
  // kNotTrained: the value with which training goes on without it; empty: none
  // does.
  std::string_view off{};
};
std::span<const Limit> limits();

// Why files of such a MODEL.TYPE cannot be read; empty: they can.
std::string refusal_of_type(std::string_view type);

// The defaults of the family of a MODEL.TYPE that is not refused.
Config defaults_of(std::string_view type);
// Those of its ViT before 2022, whose files have MODEL.TRANS.
void use_older_defaults(Config& config);

// The recipe of a config whose limits hold. data.*.path are left as they are:
// they follow DATA.DATA_PATH as they follow -data_path.
Recipe translate(const Config& config, bool training);

} // namespace vitrain::config::paddlevit
