// The run that -resume selects, and the changes in its folder.

#include "job/run/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "checkpoint/find.h"
#include "checkpoint/manifest.h"
#include "config/load_recipe.h"
#include "core/error.h"
#include "support/files.h"
#include "support/messages.h"

namespace {
std::vector<std::string> synced; // paths that this process has synced
} // namespace

extern "C" int fsync(int fd) {
  std::error_code error;
  synced.push_back(std::filesystem::read_symlink(
      "/proc/self/fd/" + std::to_string(fd), error));
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace vitrain::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() { recipe_.run.output = folder_; }

  // A run folder with checkpoints that hold no file but their manifest.
  RunDirectory make_run(
      const std::string& name,
      const config::Recipe& recipe,
      const std::vector<std::int64_t>& steps = {8}) {
    const RunDirectory run{folder_ / name};
    for (const std::int64_t step : steps) {
      const auto path = run.checkpoints() / checkpoint::folder_name(step);
      std::filesystem::create_directories(path);
      std::ofstream(path / "manifest.json")
          << checkpoint::Manifest{.step = step}.text();
    }
    if (!steps.empty()) {
      std::ofstream(run.checkpoints() / "latest")
          << checkpoint::folder_name(steps.back()) << '\n';
    }
    std::filesystem::create_directories(run.path);
    std::ofstream(run.config()) << config::to_yaml(recipe);
    std::ofstream(run.metrics()) << "{\"step\":24}\n";
    return run;
  }

  std::vector<std::int64_t> steps_in(const RunDirectory& run) {
    std::vector<std::int64_t> steps;
    for (const auto& [step, path] : checkpoint::list_steps(run.checkpoints())) {
      steps.push_back(step);
    }
    return steps;
  }

  TempFolder temp_;
  const std::filesystem::path folder_ = temp_.path();
  config::Recipe recipe_;
};

TEST_F(ResumeTest, AutoIsTheNewestRunWithACheckpointAndTheSameName) {
  EXPECT_FALSE(newest_run(recipe_, "a").path.has_value());
  EXPECT_FALSE(newest_run(recipe_, "a").other.has_value());
  make_run("a-20260101-000000", recipe_);
  make_run("a-20260102-000000", recipe_);
  make_run("a-20260103-000000", recipe_, {});
  make_run("a-b-20260104-000000", recipe_);
  EXPECT_EQ(newest_run(recipe_, "a").path->filename(), "a-20260102-000000");
}

// A run that was killed starts again in its folder.
TEST_F(ResumeTest, AutoIsARunWithoutACheckpointWhereNoneHasOne) {
  make_run("a-20260101-000000", recipe_, {});
  config::Recipe other = recipe_;
  other.optim.lr = 0.5;
  make_run("a-20260102-000000", other, {});
  EXPECT_EQ(newest_run(recipe_, "a").path->filename(), "a-20260101-000000");
  EXPECT_FALSE(has_checkpoints({folder_ / "a-20260101-000000"}));
  // Runs of another recipe have no checkpoint that could be lost.
  other.optim.lr = 0.25;
  EXPECT_FALSE(newest_run(other, "a").path.has_value());
  EXPECT_FALSE(newest_run(other, "a").other.has_value());
  make_run("a-20260103-000000", other, {8});
  EXPECT_EQ(newest_run(recipe_, "a").path->filename(), "a-20260101-000000");
}

// To train longer, the run need not be named.
TEST_F(ResumeTest, AutoTakesARunOfAnotherLengthWhereNoneHasTheSame) {
  make_run("a-20260101-000000", recipe_);
  config::Recipe longer = recipe_;
  longer.run.epochs += 5;
  EXPECT_EQ(newest_run(longer, "a").path->filename(), "a-20260101-000000");
  make_run("a-20260102-000000", longer);
  EXPECT_EQ(newest_run(recipe_, "a").path->filename(), "a-20260101-000000");
  EXPECT_EQ(newest_run(longer, "a").path->filename(), "a-20260102-000000");
  longer.optim.lr = 0.5;
  EXPECT_FALSE(newest_run(longer, "a").path.has_value());
}

// A sweep: every value of optim.lr has its own run.
TEST_F(ResumeTest, AutoTakesNoRunOfAnotherRecipe) {
  make_run("a-20260101-000000", recipe_);
  config::Recipe other = recipe_;
  other.optim.lr = 0.5;
  const NewestRun none = newest_run(other, "a");
  EXPECT_FALSE(none.path.has_value());
  EXPECT_EQ(none.other->filename(), "a-20260101-000000");
  EXPECT_EQ(none.reason, "\n  optim.lr: 0.001 -> 0.5");

  make_run("a-20260102-000000", other);
  EXPECT_EQ(newest_run(other, "a").path->filename(), "a-20260102-000000");
  EXPECT_EQ(newest_run(recipe_, "a").path->filename(), "a-20260101-000000");
  EXPECT_FALSE(newest_run(recipe_, "a").other.has_value());
}

TEST_F(ResumeTest, AutoPassesOverWhatChangesNothingThatIsTrained) {
  make_run("a-20260101-000000", recipe_);
  recipe_.devices.count = 3;
  recipe_.log.every = 7;
  recipe_.data.train.path = "/moved"; // the samples have a fingerprint
  EXPECT_TRUE(newest_run(recipe_, "a").path.has_value());
  recipe_.model.depth = 3;
  EXPECT_FALSE(newest_run(recipe_, "a").path.has_value());
}

TEST_F(ResumeTest, AutoPassesOverARunWhoseRecipeCannotBeRead) {
  const RunDirectory run = make_run("a-20260101-000000", recipe_);
  std::ofstream(run.config()) << "optim: {learning: 3}\n";
  const NewestRun newest = newest_run(recipe_, "a");
  EXPECT_FALSE(newest.path.has_value());
  expect_message(newest.reason, {"config.yaml:1:9", "optim.learning"});
}

TEST_F(ResumeTest, TheSameRecipeFromTheLastCheckpointChangesNothing) {
  const RunDirectory run = make_run("a", recipe_, {8, 16});
  EXPECT_THAT(prepare_to_resume(run, recipe_, 16), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(run.path / "replaced-1"));
}

TEST_F(ResumeTest, AnotherRecipeIsRecordedAndTheFormerOneKept) {
  const RunDirectory run = make_run("a", recipe_, {8, 16});
  const std::string before = slurp(run.config());
  recipe_.optim.lr = 0.5;
  EXPECT_THAT(
      prepare_to_resume(run, recipe_, 16),
      ElementsAre(AllOf(
          HasSubstr("config.yaml is the recipe of the steps after 16"),
          HasSubstr("replaced-1/config.yaml"))));
  EXPECT_EQ(slurp(run.config()), config::to_yaml(recipe_));
  EXPECT_EQ(slurp(run.path / "replaced-1/config.yaml"), before);
  EXPECT_THAT(steps_in(run), ElementsAre(8, 16));
}

// No checkpoint of the branch that is left can be taken for one of the new one.
TEST_F(ResumeTest, LaterCheckpointsAreKeptAsARunOfTheirOwn) {
  const RunDirectory run = make_run("a", recipe_, {8, 16, 24, 32});
  EXPECT_THAT(
      prepare_to_resume(run, recipe_, 16),
      ElementsAre(AllOf(
          HasSubstr("the checkpoints of steps 24, 32, with the records of the "
                    "steps after 16, are now in "),
          HasSubstr("replaced-1 goes on from there"))));
  EXPECT_THAT(steps_in(run), ElementsAre(8, 16));
  const RunDirectory kept{run.path / "replaced-1"};
  EXPECT_THAT(steps_in(kept), ElementsAre(24, 32));
  EXPECT_EQ(slurp(kept.metrics()), slurp(run.metrics()));
  EXPECT_EQ(slurp(kept.config()), slurp(run.config()));
  // Once more, from further back and with another recipe.
  recipe_.optim.lr = 0.5;
  EXPECT_EQ(prepare_to_resume(run, recipe_, 8).size(), 2u);
  EXPECT_THAT(steps_in(run), ElementsAre(8));
  EXPECT_THAT(steps_in({run.path / "replaced-2"}), ElementsAre(16));
}

// Otherwise a power failure could take the copies along with the records that
// are cut after them.
TEST_F(ResumeTest, CopiesAreDurable) {
  const RunDirectory run = make_run("a", recipe_, {8, 16});
  std::ofstream(run.summary()) << "epoch,step\n1,16\n";
  synced.clear();
  prepare_to_resume(run, recipe_, 8);
  const std::string replaced = (run.path / "replaced-1").native();
  EXPECT_THAT(synced, Contains(StartsWith(replaced + "/metrics.jsonl")));
  EXPECT_THAT(synced, Contains(StartsWith(replaced + "/summary.csv")));
  EXPECT_THAT(synced, Contains(replaced));
  EXPECT_THAT(synced, Contains(run.path.native()));
}

TEST_F(ResumeTest, NoTemporaryFileOfAKilledProcessStays) {
  const RunDirectory run = make_run("a", recipe_, {8, 16});
  std::filesystem::create_directories(run.path / "trace");
  std::filesystem::create_directory(
      run.checkpoints() / ".step-000000004.tmp-7");
  for (const char* name :
       {"report.html.tmp-7",
        "trace/rank0.json.tmp-12",
        "notes.tmp-mine",
        "report.html"}) {
    std::ofstream(run.path / name) << "x";
  }
  EXPECT_THAT(
      prepare_to_resume(run, recipe_, 16),
      ElementsAre(HasSubstr("removed 1 unfinished checkpoint ")));
  std::vector<std::string> left;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(run.path)) {
    const std::string name = entry.path().filename();
    if (name.find(".tmp-") != name.npos) {
      left.push_back(name);
    }
  }
  EXPECT_THAT(left, ElementsAre("notes.tmp-mine"));
  EXPECT_TRUE(std::filesystem::exists(run.path / "report.html"));
}

// The process that saved 16 ended before it changed `latest`.
TEST_F(ResumeTest, LatestFollowsTheStepThatIsResumed) {
  const RunDirectory run = make_run("a", recipe_, {8, 16});
  std::ofstream(run.checkpoints() / "latest") << "step-000000008\n";
  EXPECT_THAT(prepare_to_resume(run, recipe_, 16), IsEmpty());
  EXPECT_EQ(
      std::filesystem::read_symlink(run.checkpoints() / "latest"),
      "step-000000016");
}

TEST_F(ResumeTest, OnlyWhatLoadsIsRecommended) {
  const RunDirectory run = make_run("a", recipe_, {8, 16, 24});
  const auto damage = [&](const char* name) {
    std::ofstream(run.checkpoints() / name / "manifest.json") << "{}";
  };
  damage("step-000000024");
  EXPECT_THAT(
      prepare_to_resume(run, recipe_, 8),
      ElementsAre(AllOf(
          HasSubstr("the checkpoints of steps 16, 24, with"),
          HasSubstr("replaced-1 goes on from step 16; damaged: "),
          HasSubstr("replaced-1/checkpoints/step-000000024/manifest.json: "))));
  // `latest` does not name a removed checkpoint.
  EXPECT_EQ(
      std::filesystem::read_symlink(run.checkpoints() / "latest"),
      "step-000000008");
  damage("step-000000008");
  EXPECT_THAT(
      prepare_to_resume(run, recipe_, 4),
      ElementsAre(AllOf(
          HasSubstr("the checkpoint of step 8, with"),
          HasSubstr("; damaged: "),
          Not(HasSubstr("goes on from")))));
}

TEST_F(ResumeTest, AFolderThatCannotBeWrittenIsAStorageError) {
  const RunDirectory run = make_run("a", recipe_, {8, 16});
  std::filesystem::remove(run.config());
  std::filesystem::create_directory(run.config());
  try {
    prepare_to_resume(run, recipe_, 16);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kStorage);
  }
}

// Older versions recorded passwords in URLs: the recipe is the same without
// them, and no new copy has them.
TEST_F(ResumeTest, UserInformationOfOlderRecordsIsLeftOut) {
  recipe_.log.mlflow = "http://host:5000";
  const RunDirectory run = make_run("a-20260101-000000", recipe_);
  std::string yaml = slurp(run.config());
  yaml.replace(yaml.find("host:5000"), 0, "me:s3cret@");
  std::ofstream(run.config()) << yaml;
  EXPECT_THAT(changes_to(run, recipe_), IsEmpty());
  EXPECT_EQ(newest_run(recipe_, "a").path, run.path);
  prepare_to_resume(run, recipe_, 8);
  EXPECT_THAT(slurp(run.config()), Not(HasSubstr("s3cret")));
  EXPECT_THAT(
      slurp(run.path / "replaced-1" / "config.yaml"),
      testing::AllOf(HasSubstr("http://host:5000"), Not(HasSubstr("s3cret"))));
}

// Regression: values that a run had taken from its weights' record counted as
// changes of the recipe when the run was resumed.
TEST_F(ResumeTest, KeepsWhatTheWeightsHadSaid) {
  config::Recipe recorded = recipe_;
  recorded.model.pretrained = "w.pth";
  recorded.model.name = "resnet18";
  recorded.data.preprocess.mean = {0.5, 0.5, 0.5};
  recorded.data.preprocess.crop_pct = 0.9;
  const RunDirectory run = make_run("a-20260101-000000", recorded);

  config::Recipe again = recipe_;
  again.model.pretrained = "w.pth";
  EXPECT_TRUE(changes_to(run, again).empty());
  EXPECT_EQ(newest_run(again, "a").path, run.path);
  config::Origins origins{{"data.preprocess.crop_pct", {"-set #1"}}};
  const auto changes = changes_to(run, again, origins);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].key, "data.preprocess.crop_pct");

  adopt_values_of_weights(run, again, origins);
  EXPECT_EQ(again.data.preprocess.mean, recorded.data.preprocess.mean);
  EXPECT_EQ(again.data.preprocess.crop_pct, 0.875);
  EXPECT_EQ(again.model.name, "resnet18");
  // A recipe that starts from no weights says all itself.
  EXPECT_EQ(changes_to(run, recipe_).size(), 4U);
}

// Runs record the file, so that none was of the recipe that names its folder.
TEST_F(ResumeTest, AutoKnowsTheWeightsByEveryName) {
  const std::string snapshot =
      "/hub/models--timm--vit_tiny.augreg/snapshots/1/model.safetensors";
  const std::vector<std::pair<std::string, std::string>> same{
      {"hub", "hub/model.safetensors"},
      {"hub/", "hub/model.safetensors"},
      {"hub/model", "hub/model.safetensors"},
      {"timm:vit_tiny", snapshot},
      {"timm:timm/vit_tiny.augreg", snapshot}};
  const std::vector<std::pair<std::string, std::string>> others{
      {"hu", "hub/model.safetensors"},
      {"hub/mod", "hub/model.safetensors"},
      {"timm:vit_tin", snapshot},
      {"other", "hub/model.safetensors"}};
  const auto differ = [&](const auto& names) {
    config::Recipe recorded = recipe_;
    recorded.model.pretrained = names.second;
    const RunDirectory run = make_run("a-20260101-000000", recorded);
    config::Recipe again = recipe_;
    again.model.pretrained = names.first;
    return !changes_to(run, again).empty();
  };
  for (const auto& names : same) {
    EXPECT_FALSE(differ(names)) << names.first;
  }
  for (const auto& names : others) {
    EXPECT_TRUE(differ(names)) << names.first;
  }
}

} // namespace
} // namespace vitrain::job
