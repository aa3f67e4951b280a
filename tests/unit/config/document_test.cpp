#include "config/schema/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>

#include "config/load/writer.h"
#include "config/load_recipe.h"
#include "core/random.h"
#include "core/text.h"
#include "support.h"

namespace vitrain::config {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlowdown = 8.0;
constexpr bool kMeasuresMemory = false;
#else
constexpr double kSlowdown = 1.0;
constexpr bool kMeasuresMemory = true;
#endif

struct Refused {
  const char* name;
  std::string yaml;
  std::string message;
};

void PrintTo(const Refused& refused, std::ostream* stream) {
  *stream << refused.name;
}

class Hazard : public ::testing::TestWithParam<Refused> {};

TEST_P(Hazard, IsRefusedWithItsPlace) {
  const std::string message = refusal_of_yaml(GetParam().yaml);
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_THAT(message, HasSubstr("found; nothing was started."));
}

INSTANTIATE_TEST_SUITE_P(
    Yaml,
    Hazard,
    ::testing::Values(
        Refused{
            "UnknownKey",
            "optim:\n  zzzzzzzz: 1\n",
            "recipe:2:3: optim.zzzzzzzz: unknown key; optim has: name, lr, "},
        Refused{
            "NearMiss",
            "optim:\n  weigth_decay: 1\n",
            "recipe:2:3: optim.weigth_decay: unknown key. Did you mean "
            "optim.weight_decay?"},
        Refused{
            "KeyOfAnotherSection",
            "train:\n  epochs: 1\n",
            "recipe:2:3: train.epochs: unknown key. Did you mean run.epochs?"},
        Refused{
            "NameOfAnotherTrainer",
            "optim: {learning_rate: 1}\n",
            "recipe:1:9: optim.learning_rate: unknown key. Did you mean "
            "optim.lr?"},
        Refused{
            "UnknownSection",
            "optimizer_settings: {lr: 1}\n",
            "recipe:1:1: optimizer_settings: unknown key"},
        Refused{
            "DottedKey",
            "optim.lr: 1\n",
            "recipe:1:1: optim.lr: unknown key: write one name per level"},
        Refused{
            "LaterKey",
            "eval: {weights: ema}\n",
            "recipe:1:8: eval.weights: known, but not available in this "
            "version"},
        Refused{
            "DuplicateKey",
            "optim:\n  lr: 1\n  eps: 1\n  lr: 2\n",
            "recipe:4:3: optim.lr: duplicate key, already in line 2"},
        Refused{
            "DuplicateSection",
            "optim: {lr: 1}\nrun: {seed: 1}\noptim: {eps: 1}\n",
            "recipe:3:1: optim: duplicate key, already in line 1"},
        Refused{
            "MergeKey",
            "optim:\n  <<: {lr: 1}\n",
            "recipe:2:3: optim.<<: merge keys are not supported"},
        Refused{
            "TabIndent",
            "optim:\n\tlr: 1\n",
            "recipe:2:1: a tab in the indentation: use spaces"},
        Refused{
            "TabAfterSpaces",
            "optim:\n  \tlr: 1\n",
            "recipe:2:3: a tab in the indentation"},
        Refused{
            "Utf16",
            std::string("\xFF\xFEr\0u\0n\0", 8),
            "recipe:1:1: UTF-16: save the file as UTF-8"},
        Refused{
            "NulByte",
            std::string("run: {seed: 1}\n\0", 16),
            "recipe:2:1: control character \\x00"},
        Refused{
            "EscapeByte",
            "run: {name: \x1b[31mred}\n",
            "recipe:1:13: control character \\x1b"},
        Refused{
            "InvalidUtf8",
            "run:\n  output: a\xff\n",
            "recipe:2:1: not valid UTF-8"},
        Refused{
            "Binary",
            std::string(
                "\x7f"
                "ELF\x02\n\x01\xff\n\x00\x00",
                11),
            "recipe:3:1: control character \\x00"},
        Refused{"Empty", "", "recipe:1:1: the file is empty"},
        Refused{
            "OnlyComments",
            "# nothing\n\n",
            "recipe:1:1: the file is empty"},
        Refused{"OnlyMarker", "---\n", "recipe:1:1: the file is empty"},
        Refused{
            "Scalar",
            "a:1\n",
            "recipe:1:1: expected keys such as `model:`, got a:1"},
        Refused{"List", "- 1\n", "expected keys such as `model:`, got a list"},
        Refused{
            "TwoDocuments",
            "run: {seed: 1}\n---\nrun: {seed: 2}\n",
            "a second document: a config is one document"},
        Refused{
            "Alias",
            "optim: {lr: &x 1, eps: *x}\n",
            "recipe:1:13: optim.lr: anchors (&name) are not supported"},
        Refused{
            "SelfAlias",
            "optim: &a [*a]\n",
            "anchors (&name) are not supported"},
        Refused{
            "UnknownAlias",
            "optim: {lr: *x}\n",
            "recipe:1:13: not valid YAML"},
        Refused{
            "Tag",
            "run: {seed: !!python/object 1}\n",
            "run.seed: tags (tag:yaml.org,2002:python/object) are not"},
        Refused{"ListAsKey", "[a]: 1\n", "expected a key, got a list or a map"},
        Refused{"MapAsKey", "? {a: 1}\n: 1\n", "expected a key, got a list"},
        Refused{"NullKey", "~: 1\n", "recipe:1:1: expected a key, got nothing"},
        Refused{
            "EmptySection",
            "optim:\nrun: {seed: 1}\n",
            "recipe:1:1: optim: expected keys below it (a section), got "
            "nothing"},
        Refused{
            "ScalarSection",
            "optim: adamw\n",
            "optim: expected keys below it (a section), got adamw"},
        Refused{
            "Unclosed",
            "optim: {lr: 1\n",
            "not valid YAML: a { is not closed"},
        Refused{
            "UnclosedList",
            "optim: {betas: [0.9, 0.95}\n",
            "recipe:1:26: not valid YAML: a ] or }"},
        Refused{
            "Unindented",
            "run:\n seed: 1\n  epochs: 2\n",
            "recipe:3:9: not valid YAML: 'epochs: 2' is indented by 2, and the "
            "line above, which has a value already, by 1"},
        Refused{
            "Misaligned",
            "run:\n    seed: 1\n    # x\n   epochs: 2\n",
            "recipe:4:4: not valid YAML: 'epochs: 2' is indented by 3 spaces, "
            "and the keys above it by 0 or 4:"},
        Refused{
            "MisalignedDeeper",
            "data:\n  train:\n      seed: 1\n    kind: shapes\n",
            "recipe:4:5: not valid YAML: 'kind: shapes' is indented by 4 "
            "spaces, and the keys above it by 0 or 2 or 6:"},
        Refused{
            "WithoutColon",
            "run:\n  seed: 1\n  epochs\noptim: {lr: 1}\n",
            "recipe:4:6: not valid YAML: expected a key and a colon, as in "
            "`lr: 0.1`, got 'epochs' in line 3"},
        Refused{
            "BehindQuotes",
            "run:\n  name: \"a\" b\n",
            "recipe:2:13: not valid YAML: expected the end of the line, got "
            "'b'"},
        Refused{
            "SecondColon",
            "run:\n  name: a: b\n",
            "recipe:2:10: not valid YAML: a second colon in a line"},
        Refused{
            "ItemAmongKeys",
            "run:\n  seed: 1\n  - 2\n",
            "recipe:3:3: not valid YAML: "},
        Refused{
            "PaddleDialectInCompleteRecipe",
            "DATA:\n  BATCH_SIZE: 8\n",
            "recipe:1:1: DATA: unknown key"},
        Refused{
            "BaseInCompleteRecipe",
            "base: a.yaml\n",
            "recipe:1:1: base: not allowed here"}),
    [](const auto& refused) { return refused.param.name; });

TEST(Document, AcceptsByteOrderMarkAndCrLf) {
  const Recipe recipe = from_yaml(
      "\xEF\xBB\xBFoptim:\r\n  lr: 0.25\r\n  betas: [0.5, 0.75]\r\n\r\n");
  EXPECT_EQ(recipe.optim.lr, 0.25);
  EXPECT_EQ(recipe.optim.betas.value()[1], 0.75);
}

TEST(Document, AcceptsOneMarkedDocument) {
  EXPECT_EQ(from_yaml("---\nrun: {seed: 3}\n...\n").run.seed, 3);
}

TEST(Document, ReportsEveryProblemInOrder) {
  const std::string message =
      refusal_of_yaml("schedule: {warmup: 5}\n"
                      "optim:\n"
                      "  lr: x\n"
                      "  lr: 1\n"
                      "data: {batch_sise: 4, train: {kind: 3}}\n");
  EXPECT_THAT(
      message,
      StartsWith(
          "recipe:1:20: schedule.warmup: expected epochs, steps or a share of "
          "the run (10ep, 500st or 0.1dur), got 5: a length needs a unit\n"
          "recipe:3:7: optim.lr: expected number >= 0, got x\n"
          "recipe:4:3: optim.lr: duplicate key, already in line 3\n"
          "recipe:5:8: data.batch_sise: unknown key. Did you mean "
          "data.batch_size?\n"
          "recipe:5:37: data.train.kind: expected one of " +
          join(all_names<SourceKind>(), ", ") +
          ", got 3\n"
          "5 problems found; nothing was started."));
}

TEST(Document, OneProblemIsSingular) {
  EXPECT_THAT(
      refusal_of_yaml("run: {seed: x}\n"),
      HasSubstr("\n1 problem found; nothing was started."));
}

// Refused within a second (torture row 30), in bounded memory.
void expect_quick_refusal(
    const std::string& yaml,
    const std::string& expected) {
  // Measures CPU time, because other tests may run at the same time.
  const std::clock_t start = std::clock();
  EXPECT_THAT(refusal_of_yaml(yaml), HasSubstr(expected));
  const auto ticks = static_cast<double>(std::clock() - start);
  EXPECT_LT(ticks / CLOCKS_PER_SEC, 1.0 * kSlowdown);
  if (kMeasuresMemory) {
    struct rusage usage {};
    ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
    EXPECT_LT(usage.ru_maxrss, 200 * 1024);
  }
}

TEST(Document, AliasBomb) {
  std::string yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    const std::string name = "a" + std::to_string(level);
    const std::string below = "*a" + std::to_string(level - 1);
    yaml += name + ": &" + name + " [";
    for (int i = 0; i < 10; ++i) {
      yaml += (i > 0 ? ", " : "") + below;
    }
    yaml += "]\n";
  }
  expect_quick_refusal(yaml, "anchors (&name) are not supported");
}

TEST(Document, DeepNesting) {
  for (const std::size_t depth : {65u, 500u, 100000u}) {
    const std::string open(depth, '[');
    expect_quick_refusal("optim: " + open, "recipe:1:");
    expect_quick_refusal(
        "optim: " + open + std::string(depth, ']'), "levels deep");
    std::string maps = "a: ";
    for (std::size_t i = 0; i < depth; ++i) {
      maps += "{a: ";
    }
    expect_quick_refusal(maps, "levels deep");
    std::string dashes;
    for (std::size_t i = 0; i < depth; ++i) {
      dashes += "- ";
    }
    expect_quick_refusal(dashes, "levels deep");
  }
}

TEST(Document, NestingBelowTheLimitIsRead) {
  std::string yaml = "optim: {lr: ";
  yaml += std::string(50, '[') + std::string(50, ']') + "}\n";
  EXPECT_THAT(
      refusal_of_yaml(yaml),
      HasSubstr("optim.lr: expected number >= 0, got a list"));
}

TEST(Document, HundredThousandKeys) {
  std::string flat;
  std::string nested = "optim:\n";
  for (int i = 0; i < 49000; ++i) {
    flat += "k" + std::to_string(i) + ": 1\n";
    nested += "  learning" + std::to_string(i) + ": 1\n";
  }
  expect_quick_refusal(flat, "... and 48900 more\n49000 problems found");
  expect_quick_refusal(nested, "49000 problems found");
  for (int i = 49000; i < 100000; ++i) {
    flat += "k" + std::to_string(i) + ": 1\n";
  }
  expect_quick_refusal(flat, "more than 100000 values");
}

TEST(Document, HundredThousandEqualKeys) {
  std::string yaml;
  for (int i = 0; i < 49000; ++i) {
    yaml += "run: 1\n";
  }
  expect_quick_refusal(yaml, "duplicate key, already in line 1");
}

TEST(Document, LongScalarsAreCutInMessages) {
  const std::string message =
      refusal_of_yaml("run: {seed: " + std::string(100000, '7') + "}\n");
  EXPECT_LT(message.size(), 300u);
  EXPECT_THAT(message, HasSubstr("777..."));
}

// Whatever the bytes: a recipe, or a refusal that can be printed.
TEST(Document, DamagedRecipesAreReadOrRefused) {
  const std::string good = to_yaml(Recipe());
  constexpr std::string_view kBytes =
      "\t\n\r :-[]{},&*!|>'\"%@`#?~<=.0x\xff\x01";
  int refused = 0;
  for (std::uint64_t trial = 0; trial < 1500; ++trial) {
    Random random(trial, Purpose::kAugment, 0, 0);
    std::string yaml = good;
    const std::uint64_t edits = 1 + random.below(8);
    for (std::uint64_t i = 0; i < edits; ++i) {
      const std::size_t at = random.below(yaml.size());
      const std::size_t length = 1 + random.below(20);
      switch (random.below(4)) {
        case 0:
          yaml[at] = kBytes[random.below(kBytes.size())];
          break;
        case 1:
          yaml.insert(at, 1, kBytes[random.below(kBytes.size())]);
          break;
        case 2:
          yaml.erase(at, length);
          break;
        default:
          yaml.insert(at, yaml.substr(random.below(yaml.size()), length));
      }
    }
    const std::string message = refusal_of_yaml(yaml);
    if (!message.empty()) {
      ++refused;
      EXPECT_THAT(message, HasSubstr("found; nothing was started."));
      EXPECT_EQ(message.find('\x1b'), message.npos);
      EXPECT_EQ(valid_utf8(message), message);
    }
  }
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace vitrain::config
