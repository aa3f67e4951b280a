#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "config/foreign/words.h"
#include "config/paddlevit/paddle_family.h"
#include "config/schema/schema.h"
#include "config/sections/recipe.h"

namespace vitrain::config::paddlevit {

// Values of PaddleViT's keys.
struct Config {
  Config(); // the defaults of PaddleViT's ViT

  const PaddleFamily* family = nullptr; // family of MODEL.TYPE; null: as ViT
  bool vit_numbers = true; // PaddleFamily::vit_numbers of `family`
  std::map<std::string, Setting, std::less<>> values; // by key: "TRAIN.BASE_LR"
  OwnValues own; // values of the family's own keys

  // Returns the value of a key of words(), of a list the first item; T{} (0,
  // false or "") for a key without a value. T: the key's type.
  template <typename T>
  T get(std::string_view key) const {
    const Setting& value = values.find(key)->second;
    return value ? std::get<T>(value->front()) : T{};
  }
  double number(std::string_view key) const { return get<double>(key); }
  std::int64_t integer(std::string_view key) const {
    return get<std::int64_t>(key);
  }
  bool flag(std::string_view key) const { return get<bool>(key); }
  std::string text(std::string_view key) const { return get<std::string>(key); }

  // Returns true if the network has a second head, for distillation.
  bool two_heads() const;
  // Returns the network that `own` describes; null if there is none, or if the
  // family has vit_numbers.
  const Network* network() const;
};

// Returns PaddleViT's keys, such as "TRAIN.BASE_LR"; Word::rules has the
// allowed values. PaddleFamily::keys are the keys that only other families
// have.
const std::vector<foreign::Word>& words();
// Returns true for the keys below MODEL that every family has.
bool is_common(std::string_view key);

// Returns the schema, whose fields refer to `config`.
Schema schema_of(Config& config);

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
