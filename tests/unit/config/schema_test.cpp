#include "config/schema/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/foreign/words.h"
#include "config/rules/unsupported_keys.h"
#include "config/schema/suggest.h"
#include "config/sections/recipe.h"

namespace vitrain::config {
namespace {

TEST(Schema, KeysAreUniqueAndLowerSnake) {
  Recipe recipe;
  const Schema schema = schema_of(recipe);
  std::set<std::string> seen;
  for (const Section& section : schema.sections) {
    EXPECT_TRUE(seen.insert(section.path).second) << section.path;
    EXPECT_FALSE(section.help.empty()) << section.path;
  }
  for (const Field& field : schema.fields) {
    EXPECT_TRUE(seen.insert(field.path).second) << field.path;
    EXPECT_EQ(
        field.path.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_."),
        std::string::npos)
        << field.path;
    EXPECT_TRUE(seen.contains(parent_of(field.path))) << field.path;
    EXPECT_TRUE(field.help.ends_with('.') || field.help.ends_with(')'))
        << field.path << ": " << field.help;
    EXPECT_FALSE(is_later_key(field.path)) << field.path;
  }
}

TEST(Schema, FieldsReadAndWriteTheirMember) {
  Recipe recipe;
  for (const Field& field : schema_of(recipe).fields) {
    const Setting before = field.get();
    field.set(before);
    EXPECT_EQ(field.get(), before) << field.path;
  }
}

// Every enumerator has a name, each enumeration its own; spot checks of both
// ends, where a missing name would show.
TEST(Names, FollowTheEnumerators) {
  EXPECT_EQ(name_of(OptimKind::kAdamW), "adamw");
  EXPECT_EQ(name_of(OptimKind::kSgd), "sgd");
  EXPECT_EQ(name_of(Precision::kAuto), "auto");
  EXPECT_EQ(name_of(Precision::kBf16), "bf16");
  EXPECT_EQ(name_of(SourceKind::kShapes), "shapes");
  EXPECT_EQ(name_of(SourceKind::kCifar), "cifar");
  EXPECT_EQ(name_of(TrainCrop::kNone), "none");
  EXPECT_EQ(name_of(TrainCrop::kPad), "pad");
  EXPECT_EQ(name_of(TrainCrop::kResized), "resized");
  EXPECT_EQ(name_of(ProgressKind::kOff), "off");
  EXPECT_EQ(name_of(ScaleRule::kSqrt), "sqrt");
  EXPECT_EQ(name_of(Metric::kLoss), "loss");
  EXPECT_EQ(name_of(LastBatch::kPad), "pad");
  EXPECT_EQ(name_of(ScheduleKind::kConstant), "constant");
  EXPECT_EQ(name_of(Backend::kNccl), "nccl");
  EXPECT_EQ(name_of(DeviceKind::kCpu), "cpu");
  EXPECT_EQ(name_of(HeadInit::kFresh), "fresh");
  EXPECT_EQ(name_of(Filter::kBicubic), "bicubic");
  EXPECT_EQ(name_of(SamplerPolicy::kSequential), "sequential");
  EXPECT_EQ(name_of(BatchMode::kGlobal), "global");
  EXPECT_EQ(name_of(Compress::kPowerSgd), "powersgd");
  EXPECT_EQ(name_of(Compress::kTopK), "topk");
  EXPECT_EQ(name_of(BatchNormStatistics::kSync), "sync");
}

TEST(Suggestion, NamesWhatWasMeant) {
  Recipe recipe;
  const Schema schema = schema_of(recipe);
  const auto meant = [&](const char* path) {
    return suggestion(schema, path, foreign::key_of(leaf_of(path)));
  };
  EXPECT_EQ(meant("optim.lrs"), ". Did you mean optim.lr?");
  EXPECT_EQ(meant("data.smapler"), ". Did you mean data.sampler?");
  EXPECT_EQ(meant("epochs"), ". Did you mean run.epochs?");
  EXPECT_EQ(meant("optimizer"), ". Did you mean optim.name?");
  EXPECT_EQ(
      meant("train.optimiser.weight_decay"),
      ". Did you mean optim.weight_decay?");
  EXPECT_TRUE(meant("optim.qqqqqq").starts_with("; optim has: name, lr"));
  EXPECT_TRUE(
      meant("qqqqqq.x.zzzzzzzz").starts_with("; the sections are: run"));
}

} // namespace
} // namespace vitrain::config
