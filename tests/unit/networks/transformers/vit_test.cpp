#include "models/families/transformers/vit.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::vit_cases {
namespace {

auto small(std::int64_t mlp_dim = 64) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::VitSpec>(spec, [=](models::VitSpec& net) {
      net.patch_size = 8;
      net.depth = 2;
      net.embed_dim = 16;
      net.num_heads = 2;
      net.mlp_dim = mlp_dim;
    });
  };
}

// By model.global_pool: avg.
void pooled(models::ModelSpec& spec) {
  config::ModelConfig config;
  config.global_pool = config::GlobalPool::kAvg;
  spec.family->apply(config, spec);
  small()(spec);
}

INSTANTIATE_TEST_SUITE_P(
    Vit,
    Families,
    family_cases(
        "vit",
        {{"vit_gap", "vit_medium_patch16_gap_240", 40, small()},
         {"vit_reg_gap", "vit_medium_patch16_reg4_gap_256", 40, small()},
         {"vit_avg", "vit_base_patch16_224", 40, pooled},
         {"vit_clip", "vit_base_patch32_clip_quickgelu_224", 40, small()},
         {"vit_siglip", "vit_base_patch16_siglip_224", 40, small()},
         {"vit_siglip_gap",
          "vit_so400m_patch16_siglip_gap_256",
          40,
          small(3 * 16)},
         // int(16 * 2.572)
         {"vit_map", "vit_so150m_patch16_reg4_map_256", 40, small(41)},
         {"vit_dinov2", "vit_giant_patch14_reg4_dinov2", 40, small(3 * 16)},
         {"flexivit", "flexivit_small", 40, small()},
         {"deit_distilled", "deit_tiny_distilled_patch16_224", 40, small()},
         {"deit3", "deit3_small_patch16_224", 40, small()}}),
    case_name);

} // namespace
} // namespace vitrain::networks::vit_cases
