#include "models/families/vit.h"

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

// Returns the small network with a combination of numbers that no name has.
template <typename Change>
auto small_with(const Change& change) {
  return [=](models::ModelSpec& spec) {
    small()(spec);
    change_numbers<models::VitSpec>(spec, change);
  };
}

void qk_norm(models::VitSpec& net) {
  net.qk_norm = true;
}

void parallel_token(models::VitSpec& net) {
  net.block = models::VitSpec::Block::kParallel;
  net.qk_norm = true;
  net.layer_scale = 0.1;
}

void differential_token(models::VitSpec& net) {
  net.differential = true;
  net.qk_norm = true;
}

void differential_parallel_token(models::VitSpec& net) {
  net.block = models::VitSpec::Block::kParallel;
  net.differential = true;
}

void post_norm_token(models::VitSpec& net) {
  net.block = models::VitSpec::Block::kPostNorm;
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
         {"vit_rest", "vit_so400m_patch14_siglip_384", {47, 36}, small(3 * 16)},
         {"vit_rest_gap",
          "vit_so400m_patch14_siglip_gap_384",
          44,
          small(3 * 16)},
         {"vit_qk_norm", "vit_small_patch16_224", 40, small_with(qk_norm)},
         {"vit_xp", "vit_base_patch16_xp_224", 40, small()},
         {"vit_parallel", "vit_pwee_patch16_reg1_gap_256", 40, small(3 * 16)},
         {"vit_parallel_token",
          "vit_base_patch16_224",
          40,
          small_with(parallel_token)},
         {"vit_differential", "vit_dwee_patch16_reg1_gap_256", 40, small(80)},
         {"vit_differential_token",
          "vit_base_patch16_224",
          40,
          small_with(differential_token)},
         {"vit_differential_parallel",
          "vit_dpwee_patch16_reg1_gap_256",
          40,
          small(80)},
         {"vit_differential_parallel_token",
          "vit_base_patch16_224",
          40,
          small_with(differential_parallel_token)},
         {"vit_pairs", "vit_small_patch16_18x2_224", 40, small()},
         {"vit_post_norm", "vit_base_patch16_rpn_224", 40, small()},
         {"vit_post_norm_token",
          "vit_base_patch16_224",
          40,
          small_with(post_norm_token)},
         {"vit_no_last_norm", "vit_intern300m_patch14_448", 40, small()},
         {"vit_tipsv2", "vit_base_patch14_reg1_tipsv2", 40, small()},
         {"flexivit", "flexivit_small", 40, small()},
         {"deit_distilled", "deit_tiny_distilled_patch16_224", 40, small()},
         {"deit3", "deit3_small_patch16_224", 40, small()}}),
    case_name);

} // namespace
} // namespace vitrain::networks::vit_cases
