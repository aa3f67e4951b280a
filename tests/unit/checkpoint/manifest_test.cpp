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

// The text with another hash, as someone who edits it would make it.
std::string rehashed(const Json& json) {
  Manifest manifest;
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

TEST(Manifest, RefusesWhatIsMissingOrOfAnotherType) {
  EXPECT_EQ(parse_manifest(rehashed(example_json()), "m").step, 1250);
  const auto members = example_json();
  for (const auto& [key, value] : members.items()) {
    Json without = example_json();
    without.erase(key);
    EXPECT_THAT(refusal(rehashed(without)), HasSubstr(key));
    Json other = example_json();
    other[key] = Json::array({Json::object()});
    if (key != "state") {
      EXPECT_FALSE(refusal(rehashed(other)).empty());
    }
  }
  EXPECT_THAT(refusal("[]"), HasSubstr("JSON"));
  EXPECT_THAT(refusal("{}"), HasSubstr("hash"));
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
