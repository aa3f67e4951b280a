#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/paddlevit/paddlevit_schema.h"
#include "config/schema/schema.h"
#include "config/sections/recipe.h"

namespace vitrain::config::paddlevit {

// Meaning of a PaddleViT key in vitrain.
struct Meaning {
  std::string_view key; // "TRAIN.BASE_LR"
  // Keys of the recipe that it sets, separated by spaces; empty: none.
  std::string_view sets;
  // Further information; for a key that sets nothing, the reason.
  std::string_view note;
  bool copied = false; // the one key in `sets` gets its value
};

// Returns the schema, whose fields refer to `config`.
Schema schema_of(Config& config);

// Returns one row per key, in the order of the schema.
std::span<const Meaning> meanings();

// Treatment of a value that vitrain does not support; the rule is a Limit.
enum class Otherwise {
  kRefused, // refused, also for evaluation
  kNotTrained, // refused for training only
  kTrainedWithout, // accepted with a note
};

struct Limit {
  std::string_view key;
  Otherwise otherwise;
  bool (*holds)(const Config&); // true: the value is supported
  std::string_view text; // message: what is not available, or required
  // kNotTrained: value that disables the feature; empty: none.
  std::string_view off{};
};
std::span<const Limit> limits();

// Returns why the value of another key leaves `key` without effect; "" if none
// does. Keys that never have an effect are not included.
std::string_view idle_beside_others(const Config& config, std::string_view key);

// Returns the reason why files with this MODEL.TYPE cannot be read; "" if they
// can.
std::string refusal_of_type(std::string_view type);

// Returns the defaults of the family of a MODEL.TYPE that is not refused.
Config defaults_of(std::string_view type);
// Applies the defaults of PaddleViT's ViT before 2022, whose files have a
// section MODEL.TRANS.
void use_older_defaults(Config& config);

// Returns the recipe of a config, without the features that limits() exclude.
// Leaves data.*.path unset: DATA.DATA_PATH is applied later, like -data_path.
// `training`: false for evaluation, which is in fp32 even with AMP.
Recipe translate(const Config& config, bool training);

} // namespace vitrain::config::paddlevit
