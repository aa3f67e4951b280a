#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "data/augment/augment_mix.h"
#include "data/augment/augment_tables.h"
#include "data/augment/augment_timm.h"
#include "data/augment/augment_torchvision.h"
#include "unit/image/fixtures.h"

// Compares operations and magnitudes with timm's and torchvision's
// (tests/golden/image/{levels,policies}.csv).
namespace vitrain::data {
namespace {

using Row = std::vector<std::string>;

constexpr std::array<std::uint8_t, 3> kFill{124, 116, 104};

image::Image level_image() {
  return image::fixtures::input("smooth", 30, 48, 40);
}

std::string crc_after(const PixelStep& step, image::Interpolation how) {
  image::Image image = level_image();
  image::Scratch scratch;
  apply_step(step, {{how, kFill}, kFill}, image::Canvas(image), scratch);
  return std::to_string(image::fixtures::crc(image.pixels));
}

TEST(AugmentGolden, TimmsMagnitudesBecomeItsArgumentsAndPixels) {
  const TimmScale scale{.translate_pixels = 18};
  int checked = 0;
  std::set<std::string> names;
  for (const Row& row : image::fixtures::rows("levels.csv")) {
    if (row[0] != "timm") {
      continue;
    }
    SCOPED_TRACE(row[1] + " " + row[3] + " " + row[4]);
    const TimmOp& op = timm_op(row[1]);
    const double magnitude = std::stod(row[3]);
    const double draw = row[4] == "1" ? 0.75 : 0.25;
    EXPECT_EQ(timm_argument(op, magnitude, draw, scale), std::stod(row[5]));
    EXPECT_EQ(
        crc_after(
            timm_step(op, magnitude, draw, scale, 48, 40),
            image::Interpolation::kBicubic),
        row[6]);
    names.insert(row[1]);
    ++checked;
  }
  EXPECT_EQ(checked, 756);
  EXPECT_EQ(names.size(), 27U);
}

TEST(AugmentGolden, TorchvisionsMagnitudesAndPixels) {
  const std::map<std::string, TorchvisionSpace> spaces{
      {"torchvision:randaugment", TorchvisionSpace::kRand},
      {"torchvision:autoaugment", TorchvisionSpace::kAuto},
      {"torchvision:trivialaugment", TorchvisionSpace::kTrivial},
      {"torchvision:augmix", TorchvisionSpace::kMix}};
  int checked = 0;
  int pixels = 0;
  for (const Row& row : image::fixtures::rows("levels.csv")) {
    const auto space = spaces.find(row[0]);
    if (space == spaces.end()) {
      continue;
    }
    SCOPED_TRACE(row[0] + " " + row[1] + " " + row[2] + " " + row[3]);
    const TorchvisionOp& op = torchvision_op(row[1]);
    const double size = torchvision_magnitude(
        op, space->second, std::stoi(row[3]), std::stoi(row[2]), 48, 40);
    const double magnitude = row[4] == "1" ? -size : size;
    EXPECT_EQ(magnitude, std::stod(row[5]));
    if (row.size() > 6) {
      EXPECT_EQ(
          crc_after(
              torchvision_step(op, magnitude), image::Interpolation::kBilinear),
          row[6]);
      ++pixels;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 1874);
  EXPECT_GT(pixels, 250);
}

image::Interpolation interpolation_of(const std::string& name) {
  return name == "nearest" ? image::Interpolation::kNearest
      : name == "bilinear" ? image::Interpolation::kBilinear
                           : image::Interpolation::kBicubic;
}

// A row of policy_pixels.csv.
PixelStep policy_step(const Row& row, int width, int height) {
  const double level = std::stod(row[2]);
  const bool negative = row[3] == "1";
  if (row[0] == "timm") {
    const TimmScale scale{
        .translate_pixels = std::floor(std::min(width, height) * 0.45)};
    return timm_step(
        timm_op(row[1]), level, negative ? 0.75 : 0.25, scale, width, height);
  }
  const TorchvisionOp& op = torchvision_op(row[1]);
  const double size = torchvision_magnitude(
      op, TorchvisionSpace::kRand, static_cast<int>(level), 31, width, height);
  return torchvision_step(op, negative ? -size : size);
}

TEST(AugmentGolden, PixelsAtThreeSizesWithEveryInterpolation) {
  std::map<std::string, int> checked;
  image::Scratch scratch;
  const std::vector<std::string> sizes{"32x32", "17x23", "61x40"};
  for (const Row& row : image::fixtures::rows("policy_pixels.csv")) {
    SCOPED_TRACE(testing::PrintToString(row));
    const int width = std::stoi(row[5]);
    const int height = std::stoi(row[6]);
    const auto size =
        std::ranges::find(sizes, row[5] + "x" + row[6]) - sizes.begin();
    image::Image image = image::fixtures::input(
        "smooth", static_cast<std::uint32_t>(40 + size), width, height);
    apply_step(
        policy_step(row, width, height),
        {{interpolation_of(row[4]), kFill}, kFill},
        image::Canvas(image),
        scratch);
    EXPECT_EQ(std::to_string(image::fixtures::crc(image.pixels)), row[7]);
    ++checked[row[0] + " " + row[4]];
  }
  const std::map<std::string, int> expected{
      {"timm nearest", 84},
      {"timm bilinear", 84},
      {"timm bicubic", 84 + 240},
      {"torchvision nearest", 60},
      {"torchvision bilinear", 60 + 69},
      {"torchvision bicubic", 60}};
  EXPECT_EQ(checked, expected);
}

// STEPS of make_policy_pixels.py, again and again.
class Steps {
 public:
  void operator()(const image::Canvas& canvas) {
    static const std::vector<std::pair<const char*, double>> kSteps{
        {"Posterize", 7},
        {"SolarizeAdd", 4},
        {"Color", 9},
        {"Invert", 0},
        {"Equalize", 0},
        {"Contrast", 8}};
    const auto& [name, magnitude] = kSteps[at_++ % kSteps.size()];
    apply_step(
        timm_step(
            timm_op(name), magnitude, 0.25, {}, canvas.width, canvas.height),
        {{image::Interpolation::kBicubic, kFill}, kFill},
        canvas,
        scratch_);
  }

 private:
  std::size_t at_ = 0;
  image::Scratch scratch_;
};

TEST(AugmentGolden, BlendedChainsAreTimms) {
  const auto rows = image::fixtures::rows("blended.csv");
  ASSERT_EQ(rows.size(), 56U);
  AugmentScratch scratch;
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row));
    std::vector<float> weights;
    std::istringstream numbers(row[5]);
    for (std::string number; numbers >> number;) {
      weights.push_back(std::stof(number));
    }
    image::Image image = image::fixtures::input(
        "smooth",
        static_cast<std::uint32_t>(std::stoi(row[0])),
        std::stoi(row[1]),
        std::stoi(row[2]));
    Random random(1, Purpose::kAugment, 0, 0);
    const AutoAugment options{.depth = std::stoi(row[3])};
    const ChainStep step = Steps();
    blend_as_timm(
        {options, image::Canvas(image), random, scratch, step},
        weights,
        std::stof(row[4]));
    EXPECT_EQ(std::to_string(image::fixtures::crc(image.pixels)), row[6]);
  }
}

// The tables of this program as rows of policies.csv.
std::vector<Row> table_rows(
    const std::string& policy,
    const std::vector<TableChoice>& choices) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (const TableStep& step : choices[i]) {
      rows.push_back(
          {policy,
           std::to_string(i),
           std::string(step.name),
           std::to_string(step.probability),
           std::to_string(step.magnitude)});
    }
  }
  return rows;
}

template <typename Items>
std::vector<Row> set_rows(const std::string& policy, const Items& items) {
  std::vector<Row> rows;
  for (const auto& item : items) {
    WeightedName known{};
    if constexpr (std::is_same_v<
                      std::remove_cvref_t<decltype(item)>,
                      WeightedName>) {
      known = item;
    } else {
      known.name = item;
    }
    rows.push_back(
        {policy,
         "0",
         std::string(known.name),
         std::to_string(known.weight),
         std::to_string(0.0)});
  }
  return rows;
}

TEST(AugmentGolden, TablesAreTimmsAndTorchvisions) {
  std::vector<Row> ours;
  const auto add = [&](const std::vector<Row>& rows) {
    ours.insert(ours.end(), rows.begin(), rows.end());
  };
  for (const char* name : {"v0", "v0r", "original", "originalr", "3a"}) {
    add(table_rows(name, auto_augment_table(name)));
  }
  for (const std::string name : {"imagenet", "cifar10", "svhn"}) {
    add(table_rows("torchvision:" + name, auto_augment_table(name)));
  }
  add(set_rows("rand", timm_rand_operations("", false)));
  add(set_rows("rand-inc1", timm_rand_operations("", true)));
  add(set_rows("rand-t3a", timm_rand_operations("3a", false)));
  add(set_rows("rand-t3aw", timm_rand_operations("3aw", false)));
  add(set_rows("rand-tweights", timm_rand_operations("weights", false)));
  add(set_rows("augmix", timm_mix_operations()));
  add(set_rows("torchvision:randaugment", torchvision_operations()));
  add(set_rows("torchvision:trivialaugment", torchvision_operations()));
  add(set_rows("torchvision:augmix", torchvision_mix_operations(true)));
  std::vector<Row> theirs = image::fixtures::rows("policies.csv");
  for (Row& row : theirs) {
    row[3] = std::to_string(std::stod(row[3]));
    row[4] = std::to_string(std::stod(row[4]));
  }
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(torchvision_mix_operations(false).size(), 9U);
}

} // namespace
} // namespace vitrain::data
