#include "config/schema/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/load_recipe.h"
#include "config/schema/schema.h"
#include "config/sections/optim.h"
#include "core/enum_names.h"
#include "core/text.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::string key;
  std::string yaml; // of the value
  std::string expected; // as written again; "" when it is refused
  std::string message; // of the refusal
};

void PrintTo(const Case& one, std::ostream* stream) {
  *stream << one.key << ": " << one.yaml;
}

// The allowed values of optim.name.
std::string rules() {
  return join(all_names<OptimKind>(), ", ");
}

std::string document_of(const Case& one) {
  std::string text;
  for (const char c : one.key) {
    text += c == '.' ? std::string(": {") : std::string(1, c);
  }
  text += ": " + one.yaml;
  return text + std::string(std::ranges::count(one.key, '.'), '}') + "\n";
}

std::string value_of(Recipe recipe, const std::string& key) {
  for (const Field& field : schema_of(recipe).fields) {
    if (field.path == key) {
      return write_value(field);
    }
  }
  return "no such key";
}

class Value : public ::testing::TestWithParam<Case> {};

TEST_P(Value, IsReadAsDocumentedOrRefused) {
  const Case& one = GetParam();
  const std::string yaml = document_of(one);
  if (one.expected.empty()) {
    EXPECT_THAT(refusal_of_yaml(yaml), HasSubstr(one.key + ": " + one.message));
  } else {
    EXPECT_EQ(value_of(from_yaml(yaml), one.key), one.expected);
  }
}

// Torture row 29, for each type.
INSTANTIATE_TEST_SUITE_P(
    Numbers,
    Value,
    ::testing::Values(
        Case{"optim.lr", "1e-3", "0.001", ""},
        Case{"optim.lr", "1E-3", "0.001", ""},
        Case{"optim.lr", "5.0e-4", "0.0005", ""},
        Case{"optim.lr", "1", "1.0", ""},
        Case{"optim.lr", "1.", "1.0", ""},
        Case{"optim.lr", ".5", "0.5", ""},
        Case{"optim.lr", "-0.0", "0.0", ""},
        Case{"optim.lr", "0", "0.0", ""},
        Case{"optim.lr", "1e+2", "100.0", ""},
        Case{"optim.lr", "4.9e-324", "5.0e-324", ""},
        Case{"optim.lr", "-1", "", "expected number >= 0, got -1"},
        Case{"optim.lr", "no", "", "expected number >= 0, got no"},
        Case{
            "optim.lr",
            "010",
            "",
            "expected number >= 0, got 010: write it in decimal"},
        Case{
            "optim.lr",
            "01.5",
            "",
            "expected number >= 0, got 01.5: write it in decimal"},
        Case{"optim.lr", "0x10", "", "expected number >= 0, got 0x10: write"},
        Case{"optim.lr", ".nan", "", "expected number >= 0, got .nan"},
        Case{"optim.lr", "nan", "", "expected number >= 0, got nan"},
        Case{"optim.lr", ".inf", "", "expected number >= 0, got .inf"},
        Case{"optim.lr", "inf", "", "expected number >= 0, got inf"},
        Case{"optim.lr", "1e400", "", "expected number >= 0, got 1e400"},
        Case{"optim.lr", "1e-400", "", "expected number >= 0, got 1e-400"},
        Case{
            "optim.lr",
            "1_000",
            "",
            "expected number >= 0, got 1_000: write the digits without"},
        Case{"optim.lr", "1.2.3", "", "expected number >= 0, got 1.2.3"},
        Case{"optim.lr", "1e", "", "expected number >= 0, got 1e"},
        Case{"optim.lr", ".", "", "expected number >= 0, got ."},
        Case{"optim.lr", "+1", "", "expected number >= 0, got +1"},
        Case{"optim.lr", "--1", "", "expected number >= 0, got --1"},
        Case{
            "optim.lr",
            "\"1\"",
            "",
            "expected number >= 0, got \"1\": leave out the quotes"},
        Case{"optim.lr", "~", "", "expected number >= 0, got nothing"},
        Case{"optim.lr", "null", "", "expected number >= 0, got nothing"},
        Case{"optim.lr", "auto", "", "expected number >= 0, got auto"},
        Case{"optim.lr", "[1]", "", "expected number >= 0, got a list"},
        Case{"optim.lr", "{a: 1}", "", "expected number >= 0, got a map"},
        Case{"model.drop_path", "1.0", "", "expected number in [0, 1), got"},
        Case{"model.drop_path", "0.99", "0.99", ""},
        Case{
            "data.preprocess.crop_pct",
            "0",
            "",
            "expected number in (0, 1], got 0"},
        Case{"data.preprocess.crop_pct", "1", "1.0", ""},
        Case{"data.preprocess.resize", "256", "256", ""},
        Case{"data.preprocess.resize", "auto", "auto", ""},
        Case{
            "data.preprocess.resize",
            "0",
            "",
            "expected integer in [1, 8192] or auto, got 0"}));

INSTANTIATE_TEST_SUITE_P(
    Integers,
    Value,
    ::testing::Values(
        Case{"data.batch_size", "64", "64", ""},
        Case{"data.batch_size", "1048576", "1048576", ""},
        Case{
            "data.batch_size",
            "1048577",
            "",
            "expected integer in [1, 1048576], got 1048577"},
        Case{
            "data.batch_size",
            "1099511627776",
            "",
            "expected integer in [1, 1048576], got 1099511627776"},
        Case{"data.batch_size", "0", "", "expected integer in [1, 1048576]"},
        Case{"data.batch_size", "-1", "", "expected integer in [1, 1048576]"},
        Case{"data.batch_size", "64.0", "", "expected integer"},
        Case{"data.batch_size", "1e3", "", "expected integer"},
        Case{"data.batch_size", "010", "", "expected integer"},
        Case{"data.batch_size", "0x10", "", "expected integer"},
        Case{"data.batch_size", "0o10", "", "expected integer"},
        Case{"data.batch_size", "1_000", "", "expected integer"},
        Case{"data.batch_size", "12abc", "", "expected integer"},
        Case{
            "data.batch_size",
            "64k",
            "",
            "expected integer in [1, 1048576], got 64k"},
        Case{
            "data.batch_size",
            "'64'",
            "",
            "expected integer in [1, 1048576], got \"64\": leave out"},
        Case{"data.batch_size", "true", "", "expected integer"},
        Case{"data.batch_size", "99999999999999999999", "", "expected integer"},
        Case{"run.seed", "9223372036854775807", "9223372036854775807", ""},
        Case{"run.seed", "9223372036854775808", "", "expected integer >= 0"},
        Case{"run.seed", "-0", "0", ""},
        Case{"run.epochs", "0", "", "expected integer in [1, 1000000], got 0"},
        Case{"run.max_steps", "null", "null", ""},
        Case{"run.max_steps", "~", "null", ""},
        Case{"run.max_steps", "7", "7", ""},
        Case{"run.max_steps", "auto", "", "expected integer in [1, "},
        Case{"model.num_classes", "auto", "auto", ""},
        Case{"model.num_classes", "1", "1", ""},
        Case{
            "model.num_classes",
            "null",
            "",
            "expected integer in [1, 1048576] or auto, got nothing"},
        Case{"model.num_classes", "\"auto\"", "", "expected integer"},
        Case{"devices.count", "-1", "-1", ""},
        Case{"devices.count", "3", "3", ""},
        Case{"devices.count", "0", "", "expected integer -1 or >= 1, got 0"},
        Case{"devices.count", "-2", "", "expected integer -1 or >= 1"}));

INSTANTIATE_TEST_SUITE_P(
    Others,
    Value,
    ::testing::Values(
        Case{"optim.nesterov", "true", "true", ""},
        Case{"optim.nesterov", "false", "false", ""},
        Case{"optim.nesterov", "True", "", "expected true or false, got True"},
        Case{"optim.nesterov", "yes", "", "expected true or false, got yes"},
        Case{"optim.nesterov", "on", "", "expected true or false, got on"},
        Case{"optim.nesterov", "1", "", "expected true or false, got 1"},
        Case{
            "optim.nesterov",
            "\"true\"",
            "",
            "expected true or false, got \"true\": leave out the quotes"},
        Case{"optim.nesterov", "~", "", "expected true or false, got nothing"},
        Case{"optim.name", "sgd", "sgd", ""},
        Case{"optim.name", "\"sgd\"", "sgd", ""},
        Case{"optim.name", "SGD", "sgd", ""},
        Case{
            "optim.name",
            "adanw",
            "",
            "expected one of " + rules() +
                ", got adanw. Did you "
                "mean 'adan'?"},
        Case{
            "optim.name",
            "~",
            "",
            "expected one of " + rules() + ", got nothing"},
        Case{"run.output", "NO", "\"NO\"", ""},
        Case{"run.output", "10", "\"10\"", ""},
        Case{"run.output", "a b", "\"a b\"", ""},
        Case{"run.output", "\"\"", "", "expected text that is not empty"},
        Case{"run.output", "\"a\\0b\"", "", "expected text that is not empty"},
        Case{"run.output", "\"a\\nb\"", "", "expected text that is not empty"},
        Case{"run.output", "[a]", "", "expected text that is not empty, got"},
        Case{"run.name", "a.b-c_D9", "a.b-c_D9", ""},
        Case{"run.name", "a/b", "", "expected name of letters, digits"},
        Case{"run.name", "..", "", "expected name of letters, digits"},
        Case{"run.name", "\"a b\"", "", "expected name of letters, digits"},
        Case{"model.pretrained", "null", "null", ""},
        Case{"model.pretrained", "\"null\"", "\"null\"", ""},
        Case{"model.pretrained", "\"~\"", "\"~\"", ""},
        Case{"schedule.warmup", "5ep", "5ep", ""},
        Case{"schedule.warmup", "\"5ep\"", "5ep", ""},
        Case{
            "schedule.warmup",
            "5",
            "",
            "expected epochs, steps or a share of the run (10ep, 500st or "
            "0.1dur), got 5: a length needs a unit"},
        Case{"schedule.warmup", "-5ep", "", "expected epochs, steps or"},
        Case{"schedule.warmup", "1.5dur", "", "expected epochs, steps or"},
        Case{
            "eval.every",
            "0ep",
            "",
            "expected epochs, steps or a share of the run (10ep, 500st or "
            "0.1dur) > 0, got 0ep"},
        Case{"checkpoint.every", "30min", "30min", ""},
        Case{"checkpoint.every", "2ep", "2ep", ""},
        Case{
            "checkpoint.every",
            "0s",
            "",
            "expected epochs, steps, a share of the run or a time (10ep, "
            "500st, "
            "0.1dur or 30min) > 0, got 0s"},
        Case{"eval.every", "30min", "", "expected epochs, steps or a share"},
        Case{"run.max_time", "3h50m", "3h50min", ""},
        Case{
            "run.max_time",
            "2ep",
            "",
            "expected a time (3h50m, 30min or 90s)"},
        Case{"data.sampler.last_batch", "pad", "pad", ""}));

INSTANTIATE_TEST_SUITE_P(
    Lists,
    Value,
    ::testing::Values(
        Case{"optim.betas", "[0.5, 0]", "[0.5, 0.0]", ""},
        Case{"optim.betas", "auto", "auto", ""},
        Case{
            "data.augment.erasing_area",
            "[0.5]",
            "",
            "expected list of 2, each number in (0, 1], in rising order, got a "
            "list of 1"},
        Case{
            "optim.betas",
            "[0.5, 1]",
            "",
            "expected list, each number in [0, 1) or auto, got 1 in the list"},
        Case{
            "optim.betas",
            "0.5",
            "",
            "expected list, each number in [0, 1) or auto, got 0.5"},
        Case{"optim.betas", "[0.5, ~]", "", "expected list, each number"},
        Case{"optim.betas", "[[0.5], 0.5]", "", "expected list"},
        Case{
            "optim.groups",
            "[{match: blocks.*.attn, lr: 0.5, weight_decay: 0}]",
            R"([{match: "blocks.*.attn", lr: 0.5, weight_decay: 0}])",
            ""},
        Case{
            "data.augment.stages",
            "[{from_epoch: 3, image_size: [192, 160], mixup: 0.2}, "
            "{from_epoch: 5, auto_augment: \"rand-m9\"}]",
            "[{from_epoch: 3, image_size: [192, 160], mixup: 0.2}, "
            "{from_epoch: 5, auto_augment: \"rand-m9\"}]",
            ""},
        Case{
            "data.augment.stages",
            "[{from_epoch: 3, mixup: -1}]",
            "",
            "expected list, each map of from_epoch and, with it, keys of "
            "data.augment or batch_size, got a map of keys: mixup: expected "
            "number >= 0, got "
            "-1 in the list"},
        Case{
            "data.augment.stages",
            "[{from_epoch: 1, mixup: 1}]",
            "",
            "expected list, each map of from_epoch and, with it, keys of "
            "data.augment or batch_size, got a map of keys: from_epoch is the "
            "number of an "
            "epoch, from 2: the keys themselves are for the first in the list"},
        Case{
            "data.augment.stages",
            "[{from_epoch: 2, mixupp: 1}]",
            "",
            "expected list, each map of from_epoch and, with it, keys of "
            "data.augment or batch_size, got a map of keys: data.augment has "
            "no mixupp"},
        Case{
            "data.augment.stages",
            "[{from_epoch: 2, stages: []}]",
            "",
            "expected list, each map of from_epoch and, with it, keys of "
            "data.augment or batch_size, got a map of keys: data.augment has "
            "no stages in a "
            "stage in the list"},
        Case{
            "data.augment.stages",
            "[{from_epoch: 2}]",
            "",
            "expected list, each map of from_epoch and, with it, keys of "
            "data.augment or batch_size, got a map of keys: it changes nothing "
            "in the list"},
        Case{
            "optim.groups",
            "[{match: head}]",
            "",
            "expected list, each map of match and, with it, lr, weight_decay, "
            "from_epoch or until_epoch, got a map of keys: it says nothing of "
            "what it matches in the list"},
        Case{
            "optim.groups",
            "[{match: head, from_epoch: 3, until_epoch: 2}]",
            "",
            "expected list, each map of match and, with it, lr, weight_decay, "
            "from_epoch or until_epoch, got a map of keys: until_epoch: 2 is "
            "before from_epoch: 3, so that it is never trained; that is said "
            "by model.freeze in the list"},
        Case{
            "optim.groups",
            "[{match: head, lr: 0}]",
            "",
            "expected list, each map of match and, with it, lr, weight_decay, "
            "from_epoch or until_epoch, got a map of keys: lr is more than 0; "
            "what is not to "
            "be "
            "trained "
            "is named by model.freeze in the list"},
        Case{
            "data.preprocess.std",
            "[1, 1, 0]",
            "",
            "expected list of 3, each number > 0, got 0 in the list"},
        Case{
            "data.augment.scale",
            "[0.5, 0.25]",
            "",
            "expected list of 2, each number in (0, 1], in rising order or "
            "auto, got 0.25 after a larger number"},
        Case{"data.augment.scale", "[0.5, 0.5]", "[0.5, 0.5]", ""},
        Case{"data.augment.scale", "auto", "auto", ""},
        Case{"optim.no_decay", "[]", "[]", ""},
        Case{"optim.no_decay", "[bias, \"a, b\"]", "[bias, \"a, b\"]", ""},
        Case{
            "optim.no_decay",
            "~",
            "",
            "expected list, each text, got nothing"},
        Case{"model.image_size", "96", "96", ""},
        Case{"model.image_size", "[96, 64]", "[96, 64]", ""},
        Case{"model.image_size", "[96, 96]", "96", ""},
        Case{
            "model.image_size",
            "[96]",
            "",
            "expected one value or list of 2, each integer in [1, 4096] or "
            "auto, got a list of 1"},
        Case{
            "model.image_size",
            "[96, 0]",
            "",
            "expected one value or list of 2, each integer in [1, 4096] or "
            "auto, got 0 in the list"},
        Case{"devices.ids", "[0, 2]", "[\"0\", \"2\"]", ""},
        Case{"devices.ids", "[0, \"\"]", "", "expected list, each text that"},
        Case{"schedule.scale.apply_to", "[lr, min_lr]", "[lr, min_lr]", ""},
        Case{
            "schedule.scale.apply_to",
            "[lr, eps]",
            "",
            "expected list, each one of lr, warmup_lr, min_lr, got eps"}));

TEST(Value, RefusedValueLeavesTheRecipeAlone) {
  Recipe recipe;
  for (const Field& field : schema_of(recipe).fields) {
    Node node;
    node.kind = Node::Kind::kMap;
    const std::string before = write_value(field);
    EXPECT_TRUE(read_value(field, node).has_value()) << field.path;
    EXPECT_EQ(write_value(field), before);
  }
}

TEST(Value, DropLastIsAnotherWayToWriteLastBatch) {
  const auto last_batch = [](const std::string& value) {
    return from_yaml("data: {sampler: {drop_last: " + value + "}}\n")
        .data.sampler.last_batch;
  };
  EXPECT_EQ(last_batch("true"), LastBatch::kDrop);
  EXPECT_EQ(last_batch("false"), LastBatch::kKeep);
  expect_message(
      refusal_of_yaml("data: {sampler: {drop_last: 1}}\n"),
      {"data.sampler.drop_last", "1"});
  expect_message(
      refusal_of_yaml("data: {sampler: {drop_last: true, last_batch: pad}}\n"),
      {"data.sampler.last_batch", "1", "29"});
  EXPECT_EQ(
      recipe_with({"data.sampler.drop_last=false"}).data.sampler.last_batch,
      LastBatch::kKeep);
}

TEST(Value, NamesOfChoicesHaveAnyCapitals) {
  for (const char* name : {"adamW", "AdamW", "ADAMW"}) {
    const Recipe recipe = recipe_with({std::string("optim.name=") + name});
    EXPECT_EQ(recipe.optim.name, OptimKind::kAdamW) << name;
  }
  EXPECT_EQ(recipe_with({"optim.name=SGD"}).optim.name, OptimKind::kSgd);
  EXPECT_EQ(
      from_yaml("schedule: {name: Cosine}\n").schedule.name,
      ScheduleKind::kCosine);
  expect_message(refusal_of_yaml("optim: {name: SDG}\n"), {"15", "optim.name"});
}

TEST(Value, SyncBatchnormIsAnotherWayToWriteBatchnorm) {
  const auto statistics = [](const std::string& value) {
    return from_yaml("dist: {sync_batchnorm: " + value + "}\n").dist.batchnorm;
  };
  EXPECT_EQ(statistics("true"), BatchNormStatistics::kSync);
  EXPECT_EQ(statistics("false"), BatchNormStatistics::kLocal);
  EXPECT_EQ(
      recipe_with({"dist.sync_batchnorm=true"}).dist.batchnorm,
      BatchNormStatistics::kSync);
  expect_message(
      refusal_of_yaml("dist: {sync_batchnorm: sync}\n"),
      {"dist.sync_batchnorm"});
  expect_message(
      refusal_of_yaml("dist: {sync_batchnorm: true, batchnorm: local}\n"),
      {"dist.batchnorm"});
}

TEST(Value, KeysThatAreNotWantedAreRefusedWithTheReason) {
  expect_message(
      refusal_of_yaml("dist: {find_unused_parameters: true}\n"),
      {"dist.find_unused_parameters"});
  expect_message(refusal_of_yaml("train: {find_unused: false}\n"), {});
  expect_message(
      refusal_of_yaml("dist: {broadcast_buffers: true}\n"), {"dist.batchnorm"});
}

} // namespace
} // namespace vitrain::config
