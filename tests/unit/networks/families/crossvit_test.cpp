#include "models/families/crossvit.h"

#include "networks/model.h"
#include "unit/networks/family_cases.h"
#include "weights/position_grid.h"

namespace vitrain::networks::crossvit_cases {
namespace {

auto small(std::int64_t stages, const std::array<std::int64_t, 2>& depths) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::CrossVitSpec>(spec, [=](models::CrossVitSpec& net) {
      net.widths = {8, 12};
      net.heads = {2, 3};
      net.mlp_ratios = {2, 1};
      net.depths = depths;
      net.stages = stages;
      net.to_side = 2;
      net.from_side = 3;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    CrossVit,
    Families,
    family_cases(
        "crossvit",
        {{"crossvit", "crossvit_9_240", {48, 24}, small(2, {1, 2})},
         {"crossvit_dagger",
          "crossvit_9_dagger_240",
          {48, 72},
          small(1, {2, 2})}}),
    case_name);

// Weights of squares fit other images: each branch has a grid of its own.
TEST(CrossVit, HasAGridForThePositionsOfEachBranch) {
  models::ModelSpec spec = *models::find_model("crossvit_9_240");
  spec.image_size = {120, 240};
  const auto model = make_model(spec, /*seed=*/0);
  const auto grid_of = [&](const std::string& name, std::int64_t given) {
    const std::vector<std::int64_t> own =
        model->named_parameters()[name].sizes().vec();
    const auto positions = weights::positions_of(
        name, {1, 1 + given, own.at(2)}, own, spec.family->grid(spec, name));
    return positions ? positions->to : ImageSize();
  };
  EXPECT_EQ(grid_of("pos_embed_0", 20 * 20), ImageSize(10, 20));
  EXPECT_EQ(grid_of("pos_embed_1", 14 * 14), ImageSize(7, 14));
}

} // namespace
} // namespace vitrain::networks::crossvit_cases
