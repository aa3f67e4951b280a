// Messages about paths that -resume does not accept, and about finished runs.

#include "job/run/resume_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"
#include "support/messages.h"

namespace vitrain::job {
namespace {

using ::testing::HasSubstr;

class ResumeAdvice : public testing::Test {
 protected:
  std::string path(const std::string& name) const {
    return (folder_.path() / name).native();
  }

  TempFolder folder_;
};

TEST_F(ResumeAdvice, ImagesAreForDataPath) {
  folder_.write("flat/1.JPG", "x");
  folder_.write("photos/train/cat/1.jpeg", "x");
  for (const char* name : {"flat", "photos", "photos/train/cat"}) {
    EXPECT_TRUE(is_no_run(path(name)));
    EXPECT_THAT(
        describe_no_run(path(name)), HasSubstr("-data_path " + path(name)));
  }
}

TEST_F(ResumeAdvice, AFolderOfRunsHasANewestOne) {
  for (const char* day : {"02", "03", "01"}) {
    folder_.write(std::string("runs/vit-202601") + day + "/config.yaml", "{}");
  }
  folder_.write("runs/vit-20260101/samples.png", "x");
  EXPECT_TRUE(is_no_run(path("runs")));
  EXPECT_THAT(
      describe_no_run(path("runs")),
      HasSubstr("-resume " + path("runs/vit-20260103")));
}

TEST_F(ResumeAdvice, AFileOfWeightsIsForPretrained) {
  folder_.write("a.safetensors", "x");
  EXPECT_TRUE(is_no_run(path("a.safetensors")));
  EXPECT_THAT(
      describe_no_run(path("a.safetensors")),
      HasSubstr("-pretrained " + path("a.safetensors")));
}

TEST_F(ResumeAdvice, RunsAndCheckpointsAreNotAdvisedAgainst) {
  folder_.write("run/config.yaml", "{}");
  folder_.write("begun/checkpoints/x", "");
  folder_.write("alone/manifest.json", "{}");
  folder_.write("some/step-000000004/x", "");
  for (const char* name :
       {"run",
        "begun",
        "begun/checkpoints",
        "alone",
        "some",
        "some/step-000000004",
        "some/step-000000004/",
        "absent"}) {
    EXPECT_FALSE(is_no_run(path(name))) << name;
  }
}

TEST_F(ResumeAdvice, AFinishedRunSaysHowToTrainItLonger) {
  Job job;
  job.run_directory = "/runs/a";
  job.resumed_step = 1200;
  job.recipe.run.epochs = 30;
  expect_message(
      finished_text(job), {"1,200", "-resume", "-set", "run.epochs=60"});
  job.recipe.run.max_steps = 1200;
  expect_message(finished_text(job), {"-resume", "-set", "run.max_steps=2400"});
}

} // namespace
} // namespace vitrain::job
