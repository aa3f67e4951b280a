#include "models/families/hvt.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::hvt_cases {
namespace {

auto small(std::int64_t pool_every) {
  return [=](models::ModelSpec& spec) {
    spec.numbers = models::HvtSpec{
        .embed_dim = 12,
        .heads = 3,
        .pool_every = pool_every,
        .depth = 3,
        .mlp_ratio = 2,
        .patch_size = 8};
  };
}

INSTANTIATE_TEST_SUITE_P(
    Hvt,
    Families,
    family_cases(
        "hvt",
        {// 35 patches, then 17, 8, 3 tokens.
         {"hvt", "hvt_s1_patch16_224", {40, 56}, small(1)},
         {"hvt_once", "hvt_ti_1_patch16_224", {24, 48}, small(4)},
         {"hvt_twice", "hvt_s3_patch16_224", {32, 40}, small(2)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::hvt_cases
