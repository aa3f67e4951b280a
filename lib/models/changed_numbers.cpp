#include "models/changed_numbers.h"

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/enum_names.h"
#include "core/text.h"
#include "models/families/family.h"

namespace vitrain::models {

std::vector<std::string> changed_numbers(const config::ModelConfig& config) {
  using config::ModelConfig;
  using Count = std::optional<std::int64_t> ModelConfig::*;
  const std::optional<ModelSpec> named = find_model(config.name);
  if (!named || named->family->apply == nullptr) {
    return {};
  }
  const Family& family = *named->family;
  const auto identity_with = [&](const ModelConfig& keys) {
    ModelSpec spec = *named;
    family.apply(keys, spec);
    return family.identity(spec);
  };
  const std::string own = identity_with({});
  std::vector<std::string> changed;
  // `one` has only `key` set.
  const auto add_if_changed =
      [&](const ModelConfig& one, const char* key, const std::string& value) {
        if (identity_with(one) != own) {
          changed.push_back(fmt::format("{} {}", key, value));
        }
      };
  for (const auto& [key, count] :
       {std::pair<const char*, Count>("patch_size", &ModelConfig::patch_size),
        {"embed_dim", &ModelConfig::embed_dim},
        {"depth", &ModelConfig::depth},
        {"num_heads", &ModelConfig::num_heads},
        {"decoder_embed_dim", &ModelConfig::decoder_embed_dim},
        {"decoder_depth", &ModelConfig::decoder_depth},
        {"decoder_num_heads", &ModelConfig::decoder_num_heads}}) {
    if (config.*count) {
      ModelConfig one;
      one.*count = config.*count;
      add_if_changed(one, key, std::to_string(*(config.*count)));
    }
  }
  ModelConfig ratio;
  ratio.mlp_ratio = config.mlp_ratio;
  add_if_changed(ratio, "mlp_ratio", shortest(config.mlp_ratio.value_or(0.0)));
  ModelConfig pool;
  pool.global_pool = config.global_pool;
  add_if_changed(pool, "global_pool", name_of(config.global_pool));
  return changed;
}

} // namespace vitrain::models
