#include "job/preprocess_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "config/load/preprocess_values.h"
#include "core/error.h"
#include "job/prepared_job.h"
#include "job/teacher_weights.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::job {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PreprocessRecord, HasWhatEvaluationNeeds) {
  config::Recipe recipe;
  recipe.data.preprocess.crop_pct = 0.9;
  models::ModelSpec spec;
  spec.image_size = 48;
  const Json record = preprocess_record(recipe, spec, {"cat", "dog"});
  EXPECT_EQ(record.at("channels"), 3);
  EXPECT_EQ(record.at("classes"), Json({"cat", "dog"}));
  const Json& keys = record.at("keys");
  EXPECT_EQ(keys.at("model.image_size"), 48);
  EXPECT_EQ(keys.at("data.preprocess.crop_pct"), 0.9);
  EXPECT_EQ(keys.at("data.preprocess.mean"), Json({0.485, 0.456, 0.406}));
  spec.features = 3;
  EXPECT_TRUE(preprocess_record(recipe, spec, {}).is_null());
}

std::string difference(
    const std::vector<std::string>& trained,
    const std::vector<std::string>& data) {
  try {
    check_classes({.source = "runs/a", .values = {}, .classes = trained}, data);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kData);
    return error.what();
  }
}

TEST(PreprocessRecord, NamesTheFirstClassThatDiffers) {
  EXPECT_EQ(difference({"a", "b", "c"}, {"a", "b", "c"}), "");
  expect_message(
      difference({"a", "b", "c"}, {"a", "x", "y"}),
      {"1", "data.eval", "'x'", "'b'"});
  expect_message(
      difference({"a", "b", "c"}, {"a", "b"}),
      {"2", "3", "data.eval.class_map"});
}

// A record is JSON: a run could not be evaluated on its own folders.
TEST(PreprocessRecord, ComparesNamesThatAreNoUtf8AsItKeepsThem) {
  const std::string latin = "caf\xe9";
  const std::string cut = "\xe3\x81z";
  const auto kept =
      Json::parse(
          to_line(preprocess_record({}, {}, {latin, cut}).at("classes")))
          .get<std::vector<std::string>>();
  EXPECT_EQ(difference(kept, {latin, cut}), "");
  expect_message(difference(kept, {"cafe", cut}), {"0", "data.eval", "'cafe'"});
}

TEST(PreprocessRecord, ClassesWithoutNamesAreCounted) {
  EXPECT_EQ(difference({"a", "b"}, {"0", "1"}), "");
  EXPECT_EQ(difference({"0", "1"}, {"a", "b"}), "");
  expect_message(difference({"0", "1"}, {"a"}), {"1"});
  expect_message(difference({"a", "b"}, {"1", "0"}), {"0"});
}

// Training may intend other classes, so this is only a warning.
TEST(PreprocessRecord, WarnsOfAClassifierOfOtherClasses) {
  const PreprocessRecord record{
      .source = "runs/a", .values = {}, .classes = {"ant", "bee"}};
  config::Recipe recipe;
  const auto warning = [&](const std::vector<std::string>& train) {
    return class_warning(record, recipe.model, train);
  };
  expect_message(
      warning({"bee", "ant"}), {"0", "data.train", "'bee'", "'ant'"});
  EXPECT_EQ(warning({"ant", "bee"}), "");
  EXPECT_EQ(warning({"0", "1"}), "");
  EXPECT_EQ(warning({"bee", "ant", "wasp"}), ""); // starts anew
  recipe.model.head_init = config::HeadInit::kFresh;
  EXPECT_EQ(warning({"bee", "ant"}), "");
}

// A file of one tensor with such a record in its metadata.
std::string with_record(const Json& record) {
  const std::string header =
      Json{
          {"__metadata__", {{"preprocess", record.dump()}}},
          {"a", {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 4}}}}}
          .dump();
  const std::uint64_t size = header.size();
  std::string start(sizeof(size), '\0');
  std::memcpy(start.data(), &size, sizeof(size));
  return start + header + std::string(4, '\0');
}

// Where the name of a class could be taken for another one's number.
TEST(PreprocessRecord, SaysHowLabelsWereWritten) {
  using data::LabelForm;
  const auto labels = [](const std::vector<std::string>& classes,
                         LabelForm form) {
    return preprocess_record({}, {}, classes, form).value("labels", "");
  };
  EXPECT_EQ(labels({"1", "2", "3"}, LabelForm::kNames), "names");
  EXPECT_EQ(labels({"1", "2", "3"}, LabelForm::kNumbers), "numbers");
  EXPECT_EQ(labels({"1", "2", "3"}, LabelForm::kNone), "");
  EXPECT_EQ(labels({"0", "1", "2"}, LabelForm::kNumbers), "");
  EXPECT_EQ(labels({"2012", "2013"}, LabelForm::kNames), "");
  EXPECT_EQ(labels({"cat", "dog"}, LabelForm::kNames), "");
  const TempFolder folder;
  config::ModelConfig model;
  model.pretrained = folder.write(
      "w.safetensors",
      with_record(preprocess_record({}, {}, {"1", "2"}, LabelForm::kNumbers)));
  EXPECT_EQ(pretrained_record(model)->labels, LabelForm::kNumbers);
}

TEST(PreprocessRecord, SaysTrueOrFalseOfSeveralLabels) {
  const TempFolder folder;
  const auto read = [&](const Json& value) {
    config::ModelConfig model;
    model.pretrained = folder.write(
        "w.safetensors",
        with_record(
            {{"keys", Json::object()},
             {"classes", Json::array()},
             {"multi_label", value}}));
    return pretrained_record(model)->multi_label;
  };
  EXPECT_TRUE(read(true));
  EXPECT_FALSE(read(false));
  for (const Json& wrong : std::vector<Json>{"yes", 1, nullptr}) {
    try {
      read(wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kWeights);
      expect_message(error.what(), {"'multi_label'"});
      expect_message(error.what(), {"w.safetensors"});
    }
  }
}

class PublishedRecord : public ::testing::Test {
 protected:
  // Applies timm's config.json next to weights without a record.
  std::optional<PreprocessRecord> apply(const std::string& text) {
    const auto weights =
        folder_.write("model.pth", "PK\3\4" + std::string(64, 'x'));
    folder_.write("config.json", text);
    recipe_.model.pretrained = weights.native();
    notes_.clear();
    return use_record(evaluates_, recipe_, origins_, notes_);
  }

  TempFolder folder_;
  bool evaluates_ = true;
  config::Recipe recipe_;
  config::Origins origins_;
  std::vector<std::string> notes_;
};

constexpr const char* kTestSizes = R"({"architecture": "resnet50",
  "num_classes": 4, "pretrained_cfg": {"mean": [0.5, 0.5, 0.5],
  "crop_pct": 0.95, "test_crop_pct": 1.0, "input_size": [3, 160, 160],
  "test_input_size": [3, 288, 288]}})";

TEST_F(PublishedRecord, HoldsForEvaluationAndForTraining) {
  const auto record = apply(kTestSizes);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->published);
  EXPECT_EQ(record->classes.size(), 4U);
  EXPECT_EQ(recipe_.model.name, "resnet50");
  EXPECT_EQ(recipe_.model.image_size, ImageSize(288));
  EXPECT_EQ(recipe_.data.preprocess.crop_pct, 1.0);
  EXPECT_EQ(recipe_.data.preprocess.mean[0], 0.5);
  EXPECT_EQ(notes_.size(), 4U);

  recipe_ = {};
  origins_ = {};
  evaluates_ = false;
  ASSERT_TRUE(apply(kTestSizes));
  EXPECT_EQ(recipe_.model.image_size, ImageSize(160));
  EXPECT_EQ(recipe_.data.preprocess.crop_pct, 0.95);
}

TEST_F(PublishedRecord, YieldsToTheRecipeAndSaysSo) {
  recipe_.model.name = "resnet18";
  recipe_.model.image_size = 64;
  recipe_.data.preprocess.crop_pct = 0.8;
  for (const char* key :
       {"model.name", "model.image_size", "data.preprocess.crop_pct"}) {
    origins_[key] = {"a.yaml", 3, 1};
  }
  ASSERT_TRUE(apply(kTestSizes));
  EXPECT_EQ(recipe_.model.name, "resnet18");
  EXPECT_EQ(recipe_.model.image_size, ImageSize(64));
  EXPECT_EQ(recipe_.data.preprocess.crop_pct, 0.8);
  EXPECT_EQ(recipe_.data.preprocess.mean[0], 0.5);
  for (const char* key :
       {"model.name: resnet18 (a.yaml:3:1), but ",
        "model.image_size: 64 (a.yaml:3:1), but ",
        "data.preprocess.crop_pct: 0.8 (a.yaml:3:1), but "}) {
    EXPECT_THAT(notes_, ::testing::Contains(HasSubstr(key)));
  }
}

TEST_F(PublishedRecord, OfANetworkThatIsNotKnownSaysSo) {
  const auto record =
      apply(R"({"architecture": "unheard_of", "pretrained_cfg": {}})");
  ASSERT_TRUE(record);
  EXPECT_EQ(recipe_.model.name, config::ModelConfig().name);
  EXPECT_THAT(notes_, ::testing::ElementsAre(HasSubstr("'unheard_of'")));
}

// A record in vitrain's weights file has priority over a config.json next to
// it.
TEST_F(PublishedRecord, YieldsToTheWeightsOwn) {
  folder_.write("config.json", kTestSizes);
  recipe_.model.pretrained = folder_.write(
      "w.safetensors",
      with_record(
          {{"keys", {{"data.preprocess.mean", {0.1, 0.1, 0.1}}}},
           {"classes", Json::array()}}));
  const auto record = use_record(true, recipe_, origins_, notes_);
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->published);
  EXPECT_EQ(recipe_.data.preprocess.mean[0], 0.1);
}

// Numbers of timm 1.0.31: make_timm_tables.py.
TEST_F(PublishedRecord, BareFilesAreKnownByTheirNames) {
  for (const char* name :
       {"resnet50_a1_0-14fe96d1.pth",
        "resnet50.a1_in1k.pth",
        "resnet50.a1_in1k/model.pth",
        "models--timm--resnet50.a1_in1k/snapshots/1/model.pth"}) {
    for (const bool evaluates : {true, false}) {
      recipe_ = {};
      origins_ = {};
      notes_.clear();
      recipe_.data.preprocess.mean = {0.1, 0.1, 0.1};
      recipe_.model.pretrained =
          folder_.write(name, "PK\3\4" + std::string(64, 'x'));
      const auto record = use_record(evaluates, recipe_, origins_, notes_);
      ASSERT_TRUE(record) << name;
      EXPECT_EQ(recipe_.model.name, "resnet50");
      EXPECT_EQ(recipe_.data.preprocess.mean[0], 0.485);
      EXPECT_EQ(recipe_.data.preprocess.crop_pct, evaluates ? 1.0 : 0.95);
      EXPECT_EQ(
          recipe_.model.image_size,
          evaluates ? std::optional<ImageSize>(288) : std::nullopt);
      EXPECT_EQ(record->classes.size(), 1000U);
      EXPECT_THAT(notes_, ::testing::Contains(HasSubstr("resnet50.a1_in1k")));
    }
  }
  // config.json comes first.
  folder_.write("resnet50.a1_in1k/config.json", kTestSizes);
  recipe_ = {};
  origins_ = {};
  recipe_.model.pretrained = folder_ / "resnet50.a1_in1k/model.pth";
  ASSERT_TRUE(use_record(true, recipe_, origins_, notes_));
  EXPECT_EQ(recipe_.data.preprocess.mean[0], 0.5);
}

// What a checkpoint of timm's train.py does not say is that of the network's
// default weights, as in timm.
TEST_F(PublishedRecord, ACheckpointsOwnSettings) {
  recipe_.model.pretrained =
      VITRAIN_SOURCE_DIR "/tests/golden/weights/pickles/settings_timm.pth";
  ASSERT_TRUE(use_record(false, recipe_, origins_, notes_));
  EXPECT_EQ(recipe_.model.name, "resnet50");
  EXPECT_EQ(recipe_.model.image_size, ImageSize(160));
  EXPECT_EQ(recipe_.data.preprocess.mean[1], 0.2);
  EXPECT_EQ(recipe_.data.preprocess.interpolation, Filter::kBilinear);
  EXPECT_EQ(recipe_.data.preprocess.crop_pct, 0.95);
  recipe_ = {};
  origins_ = {};
  recipe_.model.pretrained = VITRAIN_SOURCE_DIR
      "/tests/golden/weights/pickles/settings_torchvision.pth";
  ASSERT_TRUE(use_record(true, recipe_, origins_, notes_));
  EXPECT_EQ(recipe_.model.name, "vit_base_patch16_224");
  EXPECT_EQ(recipe_.data.preprocess.interpolation, Filter::kBilinear);
}

TEST_F(PublishedRecord, OfAnUnknownFileSaysWhatPublishedWeightsWant) {
  recipe_.model.name = "vit_tiny_patch16_224";
  recipe_.model.pretrained =
      folder_.write("w.pth", "PK\3\4" + std::string(64, 'x'));
  EXPECT_FALSE(use_record(true, recipe_, origins_, notes_));
  EXPECT_THAT(
      notes_,
      ::testing::ElementsAre(AllOf(
          HasSubstr("mean [0.485,0.456,0.406]"),
          HasSubstr("crop_pct 0.875"),
          HasSubstr("vit_tiny_patch16_224.augreg_in21k_ft_in1k"),
          HasSubstr("mean [0.5,0.5,0.5], std [0.5,0.5,0.5], crop_pct 0.9"))));
  notes_.clear();
  for (const char* key :
       {"data.preprocess.mean",
        "data.preprocess.std",
        "data.preprocess.crop_pct"}) {
    origins_[key] = {"a.yaml", 3, 1};
  }
  EXPECT_FALSE(use_record(true, recipe_, origins_, notes_));
  EXPECT_THAT(notes_, ::testing::IsEmpty());
}

// A student with a teacher whose weights have such a record.
class TeachersRecord : public ::testing::Test {
 protected:
  // Returns the notes about data with the classes "ant" and "bee" in this
  // order.
  std::vector<std::string> told(const std::vector<std::string>& learned) {
    config::DistillConfig& distill = recipe_.train.distill;
    distill.type = config::DistillKind::kHard;
    distill.pretrained = folder_.write(
        "teacher.safetensors",
        with_record(
            {{"keys",
              {{"model.image_size", 999},
               {"data.preprocess.mean", {0.5, 0.5, 0.5}},
               {"data.preprocess.pillow", recipe_.data.preprocess.pillow}}},
             {"classes", learned}}));
    return check_teacher(recipe_, {}, {"ant", "bee"});
  }
  std::string refusal(const std::vector<std::string>& learned) {
    try {
      told(learned);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kData);
      return error.what();
    }
    return "";
  }

  TempFolder folder_;
  config::Recipe recipe_;
};

// Outputs of a teacher that numbers its classes otherwise taught wrong labels
// without a word.
TEST_F(TeachersRecord, ClassesInAnotherOrderAreRefused) {
  expect_message(
      refusal({"bee", "ant"}),
      {"train.distill.pretrained",
       "0",
       "data.train",
       "'ant'",
       "'bee'",
       "eval.check_classes"});
  expect_message(refusal({"ant", "bee", "wasp"}), {"data.train", "2"});
  EXPECT_EQ(refusal({"ant", "bee"}), "");
  EXPECT_EQ(refusal({"0", "1"}), "");
  recipe_.eval.check_classes = false;
  EXPECT_THAT(
      told({"bee", "ant"}),
      ::testing::Contains(
          HasSubstr("warning: train.distill.pretrained: class 0 of")));
}

TEST_F(TeachersRecord, AnotherNormalisationIsTold) {
  EXPECT_THAT(
      told({"ant", "bee"}),
      ::testing::ElementsAre(AllOf(
          HasSubstr("warning: the teacher of train.distill sees images of "
                    "other numbers"),
          HasSubstr("was trained with [0.5, 0.5, 0.5]"))));
  recipe_.data.preprocess.mean = {0.5, 0.5, 0.5};
  EXPECT_THAT(told({"ant", "bee"}), ::testing::IsEmpty());
  recipe_.train.distill.type = config::DistillKind::kNone;
  EXPECT_THAT(check_teacher(recipe_, {}, {"other"}), ::testing::IsEmpty());
}

// Numbers in evaluation data that may be the names of the weights' classes.
TEST(PreparedJob, NumbersThatMayBeNamesAreWarnedOf) {
  const auto warnings = [](data::LabelForm trained, const char* path) {
    PreparedJob prepared;
    prepared.job.mode = JobMode::kEval;
    config::Recipe& recipe = prepared.job.recipe;
    recipe.model.name = "resnet18";
    recipe.data.eval.kind = SourceKind::kList;
    recipe.data.eval.path = path;
    data::Index::Contents contents;
    contents.options.kind = SourceKind::kList;
    contents.classes = {"0", "1", "2"};
    contents.samples = 3;
    contents.label_form = data::LabelForm::kNumbers;
    prepared.eval = std::make_unique<data::Index>(std::move(contents));
    prepared.record = PreprocessRecord{
        .source = "w.pth", .classes = {"2", "0", "1"}, .labels = trained};
    check_arithmetic(prepared);
    return prepared.notes;
  };
  using enum data::LabelForm;
  EXPECT_THAT(
      warnings(kNames, "a.csv"),
      testing::Contains(AllOf(
          HasSubstr("data.eval.class_map"), HasSubstr("'2' is class 0"))));
  EXPECT_THAT(
      warnings(kNumbers, "a.csv"),
      testing::Each(Not(HasSubstr("data.eval.class_map"))));
  // Labels in .txt lists are always numbers.
  EXPECT_THAT(
      warnings(kNames, "a.txt"),
      testing::Each(Not(HasSubstr("data.eval.class_map"))));
}

} // namespace
} // namespace vitrain::job
