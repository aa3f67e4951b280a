#include "config/paddlevit/paddlevit_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/load/writer.h"
#include "config/load_recipe.h"
#include "config/schema/schema.h"
#include "config/schema/values.h"
#include "core/text.h"
#include "support.h"

// The table of meanings against the schema and the translation.
namespace vitrain::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PaddleVitKeys, EveryKeyHasAMeaning) {
  paddlevit::Config config;
  const Schema schema = schema_of(config);
  const auto& words = paddlevit::words();
  ASSERT_EQ(words.size(), schema.fields.size());
  Recipe recipe;
  std::set<std::string> own;
  for (const Field& field : schema_of(recipe).fields) {
    own.insert(field.path);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i].name, schema.fields[i].path);
    EXPECT_FALSE(words[i].sets.empty() && words[i].note.empty());
    for (const std::string& key : split(words[i].sets, ' ')) {
      EXPECT_TRUE(key.empty() || own.contains(key)) << key;
    }
  }
  for (const paddlevit::Limit& limit : paddlevit::limits()) {
    EXPECT_TRUE(limit.holds(config)) << limit.key;
    EXPECT_EQ(std::ranges::count(schema.fields, limit.key, &Field::path), 1);
  }
}

// Another value for a field that its rules allow.
Setting other_value(const Field& field) {
  Setting setting = field.get();
  if (!setting) {
    const bool integer = field.type == ScalarType::kInteger;
    setting.emplace(
        field.list ? 2 : 1, integer ? Scalar(std::int64_t{7}) : Scalar(0.5));
    return field.type == ScalarType::kText ? Setting{{std::string("x")}}
                                           : setting;
  }
  for (Scalar& value : *setting) {
    if (field.type == ScalarType::kBool) {
      value = !std::get<bool>(value);
    } else if (field.type == ScalarType::kInteger) {
      value = std::get<std::int64_t>(value) + 3;
    } else if (field.type == ScalarType::kNumber) {
      value = std::get<double>(value) * 0.5 + 0.01;
    } else if (!field.choices.empty()) {
      const bool first = value == Scalar(field.choices.front());
      value = first ? field.choices.back() : field.choices.front();
    } else {
      value = std::get<std::string>(value) + "x";
    }
  }
  return setting;
}

std::set<std::string> differing_keys(const Recipe& a, const Recipe& b) {
  std::set<std::string> keys;
  for (const Difference& difference : differences(a, b)) {
    keys.insert(difference.key);
  }
  return keys;
}

// Changing a key changes exactly the keys that the table lists.
TEST(PaddleVitKeys, ChangeWhatTheTableSays) {
  const Recipe plain =
      paddlevit::translate(paddlevit::Config{}, /*training=*/true);
  for (const foreign::Word& word : paddlevit::words()) {
    paddlevit::Config config;
    const Schema schema = schema_of(config);
    const Field& field =
        *std::ranges::find(schema.fields, word.name, &Field::path);
    field.set(other_value(field));
    const auto listed = split(word.sets, ' ');
    const std::set<std::string> sets(listed.begin(), listed.end());
    const std::set<std::string> changed =
        differing_keys(paddlevit::translate(config, /*training=*/true), plain);
    for (const std::string& key : changed) {
      EXPECT_TRUE(sets.contains(key)) << word.name << " changed " << key;
    }
    // The path and the kind of the data are applied by load(), and the family
    // by defaults_of().
    const bool elsewhere = word.name.starts_with("DATA.DATA") ||
        word.name == "MODEL.TYPE" ||
        !paddlevit::idle_beside_others(config, word.name).empty();
    EXPECT_EQ(changed.empty(), word.sets.empty() || elsewhere) << word.name;
  }
}

// Whatever a key is set to: a recipe that reads back, or a message that names
// the key.
TEST(PaddleVitKeys, OddValuesAreReadOrRefused) {
  const TempFolder folder;
  paddlevit::Config config;
  const Schema schema = schema_of(config);
  for (const Field& field : schema.fields) {
    for (const char* value :
         {"None",
          "''",
          "'None'",
          "()",
          "(1,)",
          "(0.5, 0.5)",
          "[0.5, 0.5, 0.5]",
          "((((",
          "{a: 1}",
          "[[1], {}]",
          "-1",
          "0",
          "1e999",
          "nan",
          "0x10",
          "yes",
          "99999999999999999999",
          "\"\\e[31m\""}) {
      std::string text;
      std::string indent;
      for (const std::string& name : split(field.path, '.')) {
        text += indent + name + ":\n";
        indent += "  ";
      }
      text.back() = ' ';
      text += std::string(value) + "\n";
      const LoadRequest request{.file = folder.write("vit.yaml", text)};
      Recipe read;
      const std::string message =
          usage_error([&] { read = load(request).recipe; });
      if (message.empty()) {
        EXPECT_EQ(to_yaml(from_yaml(to_yaml(read))), to_yaml(read)) << text;
      } else {
        EXPECT_THAT(message, HasSubstr(field.path + ": ")) << text;
        EXPECT_THAT(message, Not(HasSubstr("\x1b"))) << text;
      }
    }
  }
}

} // namespace
} // namespace vitrain::config
