#include "config/load/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "config/load_recipe.h"
#include "config/schema/schema.h"
#include "core/random.h"
#include "support.h"

namespace vitrain::config {
namespace {

// Text that a YAML reader may take for something else.
std::string random_text(Random& random) {
  static const std::vector<std::string> kPieces{
      "a",
      "Z",
      "0",
      "9",
      "_",
      "-",
      ".",
      "/",
      " ",
      "  ",
      ":",
      ": ",
      " #",
      "#",
      "\"",
      "\\",
      "'",
      "[",
      "]",
      "{",
      "}",
      ",",
      "&x",
      "*x",
      "!",
      "|",
      ">",
      "%",
      "@",
      "`",
      "~",
      "null",
      "true",
      "no",
      "1e3",
      "0x10",
      "- ",
      "? ",
      "<<",
      "\\n",
      "\xC3\xA9",
      "\xE2\x82\xAC",
      "\xF0\x9F\x98\x80",
      "\xC2\x85",
      "\xE2\x80\xA8",
      "\xEF\xBB\xBF",
      "auto",
      "=",
      "..."};
  std::string text;
  const std::uint64_t length = 1 + random.below(6);
  for (std::uint64_t i = 0; i < length; ++i) {
    text += kPieces[random.below(kPieces.size())];
  }
  return text;
}

double random_number(const Field& field, Random& random) {
  const double low = field.low ? field.low->value : -1e300;
  const double high = field.high ? field.high->value : 1e300;
  const std::uint64_t kind = random.below(4);
  if (kind == 0 && field.low && field.low->inclusive) {
    return low;
  }
  if (kind == 1 && field.high && field.high->inclusive) {
    return high;
  }
  // Any magnitude, then cut to the range; never one of the open ends.
  const double sign = field.low ? 1.0 : random.below(2) == 0 ? -1.0 : 1.0;
  const double magnitude = std::pow(10.0, random.uniform(-300.0, 300.0));
  const double wide = sign * magnitude * random.uniform(1.0, 10.0);
  return wide > low && wide < high ? wide
                                   : std::nextafter(low, high) +
          random.uniform() * (std::min(high, low + 10.0) - low) * 0.5;
}

Scalar random_scalar(const Field& field, Random& random) {
  switch (field.type) {
    case ScalarType::kBool:
      return random.below(2) == 0;
    case ScalarType::kInteger: {
      const double low = field.low ? field.low->value : 0.0;
      const double high = field.high ? field.high->value : 9e15;
      const auto span = static_cast<std::uint64_t>(high - low) + 1;
      return static_cast<std::int64_t>(low) +
          static_cast<std::int64_t>(random.below(span));
    }
    case ScalarType::kNumber:
      return random_number(field, random);
    case ScalarType::kDuration: {
      const auto unit = field.time == Field::Time::kRequired
          ? Duration::Unit::kSeconds
          : static_cast<Duration::Unit>(
                random.below(field.time == Field::Time::kAllowed ? 4 : 3));
      return unit == Duration::Unit::kSteps || unit == Duration::Unit::kSeconds
          ? Duration{1.0 + static_cast<double>(random.below(1000)), unit}
          : Duration{0.001 + 0.998 * random.uniform(), unit};
    }
    case ScalarType::kText:
      break;
  }
  if (field.fault_of != nullptr) {
    const std::string digit = std::to_string(1 + random.below(9));
    if (field.path == "data.augment.stages") {
      return "{from_epoch: 1" + digit + ", image_size: [9" + digit +
          ", 64], auto_augment: \"rand-m" + digit + "\"}";
    }
    if (field.maps) {
      return "{match: \"blocks." + digit + "\", lr: 0." + digit + "}";
    }
    if (field.path == "log.mlflow") {
      return "http://host:" + digit;
    }
    return field.path.starts_with("log.") ? digit + "-1" + digit
        : field.path == "train.recompute" ? "1" + digit
                                          : "rand-m" + digit + "-inc1";
  }
  if (!field.choices.empty()) {
    return field.choices[random.below(field.choices.size())];
  }
  return field.file_name ? std::string("run-") + std::to_string(random.below(9))
                         : random_text(random);
}

void randomize(const Field& field, Random& random) {
  if (field.optional && random.below(3) == 0) {
    field.set(std::nullopt);
    return;
  }
  const std::size_t length = !field.list ? 1
      : field.length > 0                 ? field.length
                                         : random.below(4);
  Setting setting(std::in_place);
  for (std::size_t i = 0; i < length; ++i) {
    setting->push_back(random_scalar(field, random));
  }
  if (field.ascending) {
    std::ranges::sort(*setting, {}, [](const Scalar& item) {
      return std::get<double>(item);
    });
  }
  field.set(setting);
}

std::vector<Setting> values_of(Recipe recipe) {
  std::vector<Setting> values;
  for (const Field& field : schema_of(recipe).fields) {
    values.push_back(field.get());
  }
  return values;
}

TEST(Writer, RandomRecipesParseBackIdentically) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed, Purpose::kAugment, 0, 0);
    Recipe recipe;
    for (const Field& field : schema_of(recipe).fields) {
      randomize(field, random);
    }
    const std::string yaml = to_yaml(recipe);
    const Recipe read = from_yaml(yaml);
    ASSERT_EQ(values_of(read), values_of(recipe)) << yaml;
    EXPECT_EQ(to_yaml(read), yaml);
    EXPECT_EQ(recipe_hash(read), recipe_hash(recipe));
  }
}

TEST(Writer, DefaultsParseBackIdentically) {
  const Recipe recipe;
  EXPECT_EQ(values_of(from_yaml(to_yaml(recipe))), values_of(recipe));
}

TEST(Writer, CommentsNameTheOriginAndParseBack) {
  const TempFolder folder;
  const std::filesystem::path file =
      folder.write("a.yaml", "optim:\n  lr: 0.25\n");
  const Loaded loaded = load(
      {.file = file,
       .overrides = {{"run.seed", "3", "-set #1", Override::Form::kYaml}}});
  const std::string yaml = to_yaml(loaded.recipe, loaded.origins);
  EXPECT_THAT(
      yaml,
      ::testing::ContainsRegex(
          "\n  lr: 0.25  +# .*a.yaml:2:7\n  weight_decay: 0.05  +# default\n"));
  EXPECT_THAT(yaml, ::testing::ContainsRegex("\n  seed: 3  +# -set #1\n"));
  EXPECT_EQ(values_of(from_yaml(yaml)), values_of(loaded.recipe));
}

TEST(Writer, NumbersAreNumbersToYaml11Readers) {
  // A float of YAML 1.1 has a point, also with an exponent.
  Recipe recipe;
  recipe.optim.eps = 1e-8;
  recipe.optim.weight_decay = 1e22;
  recipe.optim.lr = 3.0;
  const std::string yaml = to_yaml(recipe);
  EXPECT_THAT(yaml, ::testing::HasSubstr("eps: 1.0e-08\n"));
  EXPECT_THAT(yaml, ::testing::HasSubstr("weight_decay: 1.0e+22\n"));
  EXPECT_THAT(yaml, ::testing::HasSubstr("  lr: 3.0\n"));
}

TEST(Hash, DependsOnValuesOnly) {
  const Recipe a = from_yaml("optim: {lr: 1.0e-3, eps: 0.5}\nrun: {seed: 2}\n");
  const Recipe b = from_yaml("run: {seed: 2}\noptim: {eps: .5, lr: 0.001}\n");
  EXPECT_EQ(recipe_hash(a), recipe_hash(b));
  EXPECT_EQ(recipe_hash(a).size(), 16u);
}

TEST(Hash, SeesEveryKeyThatChangesTraining) {
  const std::string before = recipe_hash(Recipe());
  Recipe probe;
  const std::size_t count = schema_of(probe).fields.size();
  for (std::size_t i = 0; i < count; ++i) {
    Recipe recipe;
    const Schema schema = schema_of(recipe);
    const Field& field = schema.fields[i];
    const Setting original = field.get();
    Random random(11, Purpose::kAugment, i, 0);
    for (int tries = 0; tries < 100 && field.get() == original; ++tries) {
      randomize(field, random);
    }
    if (field.get() == original) {
      EXPECT_EQ(field.choices.size(), 1u) << field.path;
      continue;
    }
    const bool neutral = field.path == "run.name" ||
        field.path == "run.output" || field.path == "data.threads" ||
        field.path == "data.decode_memory_mb" ||
        field.path == "run.max_restarts" || field.path == "run.stop_after" ||
        field.path == "run.max_time" || field.path == "checkpoint.async" ||
        field.path == "checkpoint.mirror" ||
        field.path.starts_with("devices.") || field.path.starts_with("log.") ||
        field.path.starts_with("dist.timeouts.") ||
        field.path == "dist.check_every";
    EXPECT_EQ(recipe_hash(recipe) == before, neutral) << field.path;
  }
}

TEST(Differences, AreOfBothValuesAndKnowWhatChangesTraining) {
  EXPECT_TRUE(differences(Recipe(), Recipe()).empty());
  const auto list = differences(
      recipe_with({"optim.lr=0.1"}),
      recipe_with({"optim.lr=0.2", "devices.count=3"}));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].key, "devices.count");
  EXPECT_FALSE(list[0].changes_training);
  EXPECT_EQ(list[1].key, "optim.lr");
  EXPECT_EQ(list[1].before, "0.1");
  EXPECT_EQ(list[1].after, "0.2");
  EXPECT_TRUE(list[1].changes_training);
}

} // namespace
} // namespace vitrain::config
