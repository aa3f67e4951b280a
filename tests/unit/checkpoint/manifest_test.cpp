#include "checkpoint/manifest.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/hash.h"

namespace vitrain::checkpoint {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Manifest example() {
  return {
      .vitrain_version = "0.1.0",
      .step = 1250,
      .epoch = 3,
      .world_size = 4,
      .config_hash = "00ff",
      .metric = 0.1 + 0.2,
      .files =
          {{"model.safetensors", 123, std::string(32, 'a')},
           {"optimizer.safetensors", 0, std::string(32, 'b')}},
      .state = {{"z", 1}, {"a", {1.5, nullptr, "é\n"}}}};
}

std::string refusal(const std::string& text) {
  try {
    parse_manifest(text, "m.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kWeights);
    EXPECT_THAT(error.what(), HasSubstr("m.json"));
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

// Returns the text with its hash computed again, as after an edit by hand.
std::string rehashed(const Json& json) {
  std::string body = json.dump(2);
  body.resize(body.size() - 2);
  Hasher hasher;
  hasher.update(body.data(), body.size());
  return body + ",\n  \"xxh3\": \"" + hasher.hex() + "\"\n}\n";
}

Json example_json() {
  Json json = Json::parse(example().text());
  json.erase("xxh3");
  return json;
}

TEST(Manifest, ParsesBackToItself) {
  const Manifest manifest = example();
  const Manifest back = parse_manifest(manifest.text(), "m.json");
  EXPECT_EQ(back.step, 1250);
  EXPECT_EQ(back.epoch, 3);
  EXPECT_EQ(back.world_size, 4);
  EXPECT_EQ(back.vitrain_version, "0.1.0");
  EXPECT_EQ(back.config_hash, "00ff");
  EXPECT_EQ(back.metric, 0.1 + 0.2);
  EXPECT_EQ(back.files, manifest.files);
  EXPECT_EQ(back.state, manifest.state);
  EXPECT_EQ(back.text(), manifest.text());
}

TEST(Manifest, HasNoMetricWhereItIsNotANumber) {
  Manifest manifest = example();
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    manifest.metric = value;
    EXPECT_EQ(parse_manifest(manifest.text(), "m").metric, std::nullopt);
  }
}

TEST(Manifest, NoticesEveryFlippedBit) {
  const std::string good = example().text();
  for (std::size_t i = 0; i < good.size() * 8; ++i) {
    std::string bad = good;
    bad[i / 8] ^= static_cast<char>(1U << (i % 8));
    EXPECT_FALSE(refusal(bad).empty()) << i;
  }
}

TEST(Manifest, NoticesEveryTruncation) {
  const std::string good = example().text();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(refusal(good.substr(0, size)).empty()) << size;
  }
  EXPECT_THAT(refusal(good + "\n"), HasSubstr("hash"));
  EXPECT_THAT(refusal(good + "{}"), HasSubstr("JSON"));
}

TEST(Manifest, RefusesNewerFormats) {
  EXPECT_THAT(
      refusal("{\"format_version\": 2, \"whatever\": []}"),
      AllOf(HasSubstr("newer version of vitrain"), HasSubstr("format 2")));
}

// One value of every type that JSON has. Signed and unsigned integers are one.
const std::vector<Json> kKinds{
    nullptr,
    true,
    1.5,
    "text",
    Json::array({1}),
    Json::object({{"a", 1}})};

TEST(Manifest, RefusesWhatIsMissingOrOfAnotherType) {
  EXPECT_EQ(parse_manifest(rehashed(example_json()), "m").step, 1250);
  const auto members = example_json();
  for (const auto& [key, value] : members.items()) {
    Json without = example_json();
    without.erase(key);
    EXPECT_THAT(refusal(rehashed(without)), HasSubstr("'" + key + "'"));
    for (const Json& wrong : kKinds) {
      if (wrong.type() == value.type() ||
          (key == "metric" && (wrong.is_number() || wrong.is_null()))) {
        continue;
      }
      Json other = example_json();
      other[key] = wrong;
      EXPECT_THAT(
          refusal(rehashed(other)),
          AllOf(HasSubstr("'" + key + "' is "), HasSubstr(", not ")))
          << wrong;
    }
  }
  EXPECT_THAT(refusal("[]"), HasSubstr("JSON"));
  EXPECT_THAT(refusal("{}"), HasSubstr("hash"));
}

// Earlier versions did not record the name of the metric.
TEST(Manifest, MaySayWhatItsMetricIs) {
  Json json = example_json();
  EXPECT_EQ(parse_manifest(rehashed(json), "m").metric_name, "");
  Manifest manifest = parse_manifest(rehashed(json), "m");
  manifest.metric_name = "loss, ema";
  EXPECT_EQ(parse_manifest(manifest.text(), "m").metric_name, "loss, ema");
  json["metric_name"] = 3;
  EXPECT_THAT(refusal(rehashed(json)), HasSubstr("'metric_name' is "));
}

TEST(Manifest, NamesTheMemberOfAListThatHasAnotherType) {
  Json json = example_json();
  json["files"][1]["size"] = "12";
  EXPECT_THAT(
      refusal(rehashed(json)), HasSubstr("'files[1].size' is a string"));
  json["files"][1] = 3;
  EXPECT_THAT(refusal(rehashed(json)), HasSubstr("'files[1]' is an integer"));
  json = example_json();
  json["step"] = 18446744073709551615ULL;
  EXPECT_THAT(refusal(rehashed(json)), HasSubstr("'step' is an integer"));
}

// Programs differ in which of the two they believe.
TEST(Manifest, RefusesAKeyThatIsThereTwice) {
  const auto twice = [](const std::string& from, const std::string& to) {
    std::string text = example_json().dump(2);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    text.resize(text.size() - 2);
    Hasher hasher;
    hasher.update(text.data(), text.size());
    return text + ",\n  \"xxh3\": \"" + hasher.hex() + "\"\n}\n";
  };
  EXPECT_THAT(
      refusal(twice("\"epoch\"", "\"step\": 3, \"epoch\"")),
      HasSubstr("has 'step' twice"));
  EXPECT_THAT(
      refusal(twice("\"z\"", "\"a\": 3, \"z\"")), HasSubstr("has 'a' twice"));
  EXPECT_THAT(
      refusal(std::string(100000, '[')), HasSubstr("deeper than 64 levels"));
}

TEST(Manifest, RefusesFileNamesWithAPath) {
  for (const char* name :
       {"../model.safetensors",
        "/etc/passwd",
        "",
        ".",
        "..",
        "a/b",
        "manifest.json",
        ".hidden"}) {
    Json json = example_json();
    json["files"][0]["name"] = name;
    EXPECT_THAT(refusal(rehashed(json)), HasSubstr("file name")) << name;
  }
  Json json = example_json();
  json["step"] = -1;
  EXPECT_THAT(refusal(rehashed(json)), HasSubstr("negative step"));
}

} // namespace
} // namespace vitrain::checkpoint
