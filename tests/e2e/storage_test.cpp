// Files of a run, and runs on full storage.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A command line for sh; no argument of a test has quotes.
std::string shell_line(const Words& arguments) {
  std::string line = "'" + binary() + "'";
  for (const std::string& argument : arguments) {
    line += " '" + argument + "'";
  }
  return line;
}

// A file system of its own for `output`, seen by the script alone.
Command on_small_disk(
    const fs::path& output,
    const std::string& size,
    const std::string& script) {
  return {
      .words =
          {"unshare",
           "-m",
           "--propagation",
           "private",
           "sh",
           "-c",
           "mount -t tmpfs -o size=" + size + " none '" + output.native() +
               "' && { " + script + "; }"},
      .environment = {}};
}

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(output_);
    if (run(on_small_disk(output_, "1m", "true")).exit_code != 0) {
      GTEST_SKIP() << "needs the right to mount a file system (root)";
    }
  }

  Words training() const {
    return tiny_run(output_, {.set = {"run.epochs=6", "checkpoint.every=4st"}});
  }

  const TempFolder folder_;
  const fs::path output_ = folder_ / "runs";
};

TEST_F(FullDisk, IsSeenBeforeTheFirstStep) {
  const auto metrics = folder_ / "metrics";
  const Result result = run(on_small_disk(
      output_,
      "1500k",
      shell_line(training()) + "; code=$?; cat '" + output_.native() +
          "'/*/metrics.jsonl > '" + metrics.native() + "'; exit $code"));
  EXPECT_EQ(result.exit_code, 8) << result.out << result.err;
  EXPECT_THAT(
      result.err, AllOf(HasSubstr(" are free, and "), HasSubstr("-output")));
  EXPECT_THAT(
      slurp(metrics),
      AllOf(HasSubstr("\"start\""), Not(HasSubstr("\"kind\":\"train\""))));
}

TEST_F(FullDisk, InodesAreCountedToo) {
  const Result result =
      run(on_small_disk(output_, "64m,nr_inodes=40", shell_line(training())));
  EXPECT_EQ(result.exit_code, 8) << result.out << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("inodes"), HasSubstr("-output")));
}

// Regression: the run trained to its end and then ended with 8.
TEST_F(FullDisk, AResumeTriesWhetherCheckpointsCanBeWritten) {
  const auto path = train(output_, {.set = {"run.max_steps=12"}});
  const std::string records = slurp(path / "metrics.jsonl");
  const std::string folder = (path / "checkpoints").native();
  const std::string resume =
      shell_line({"-resume", path.native(), "-set", "run.max_steps=16"});
  const Result result = run(Command{
      .words =
          {"unshare",
           "-m",
           "--propagation",
           "private",
           "sh",
           "-c",
           fmt::format(
               "mount --bind '{0}' '{0}' && mount -o remount,bind,ro '{0}' && "
               "{1}",
               folder,
               resume)},
      .environment = {}});
  EXPECT_EQ(result.exit_code, 8) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr(folder));
  EXPECT_EQ(slurp(path / "metrics.jsonl"), records);
}

// Fills the disk after the first checkpoint; `then`: the script's action after
// the last save has failed.
std::string fill_after_a_save(
    const fs::path& output,
    const std::string& command,
    const fs::path& out,
    const std::string& then) {
  const std::string log = "'" + out.native() + "'";
  return command + " > " + log + " 2>&1 & pid=$!; cd '" + output.native() +
      "'; until ls */checkpoints/latest > /dev/null 2>&1; do sleep 0.02; done; "
      "dd if=/dev/zero of=fill bs=16k 2> /dev/null; "
      "until grep -q 'is tried again' " +
      log + "; do kill -0 $pid || break; sleep 0.1; done; " + then +
      "; wait $pid";
}

TEST_F(FullDisk, IsToldInEveryLineAndTheLastSaveTriedAgain) {
  const auto out = folder_ / "out";
  const Result result = run(
      on_small_disk(
          output_,
          "8m",
          fill_after_a_save(output_, shell_line(training()), out, "rm fill")),
      120);
  const std::string text = slurp(out);
  EXPECT_EQ(result.exit_code, 0) << text;
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("failed and training goes on"),
          HasSubstr("UNSAVED 3 saves failed, last of step "),
          HasSubstr("the last checkpoint failed and is tried again in 1 s"),
          HasSubstr("120 steps in "),
          HasSubstr("step-000000120")));
}

TEST_F(FullDisk, ThatStaysFullEndsWith8) {
  const auto out = folder_ / "out";
  const Result result =
      run(on_small_disk(
              output_,
              "8m",
              fill_after_a_save(output_, shell_line(training()), out, "true")),
          120);
  const std::string text = slurp(out);
  EXPECT_EQ(result.exit_code, 8) << text;
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("is tried again in 4 s"),
          HasSubstr("the last checkpoint failed: ")));
}

// Permissions follow the umask.
TEST(Umask, HoldsForAllFilesOfARun) {
  for (const unsigned mask : {0022U, 0077U, 0000U}) {
    const TempFolder folder;
    const auto output = folder / "runs";
    const Result result = run(Command{
        .words =
            {"sh",
             "-c",
             fmt::format("umask {:o}; exec ", mask) +
                 shell_line(tiny_run(
                     output,
                     {.devices = "cpu:2", .set = {"run.max_steps=12"}}))},
        .environment = {}});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(output)) {
      const unsigned most = entry.is_directory() ? 0777U : 0666U;
      EXPECT_EQ(entry.status().permissions(), fs::perms(most & ~mask))
          << entry.path() << " under " << mask;
      ++files;
    }
    EXPECT_GT(files, 12);
  }
}

TEST(EvaluationFolder, IsThereOnlyWhereSomethingIsKeptInIt) {
  const TempFolder folder;
  const auto trained = train(folder / "runs", {.set = {"run.max_steps=12"}});
  const auto evaluate = [&](const Options& more) {
    return run(tiny_run(folder / "eval", more.with({.evaluate = trained})));
  };
  const auto folders = [&] {
    return std::ranges::distance(fs::directory_iterator(folder / "eval"));
  };
  const auto result_of = [](const Result& done) { // after the banner
    return done.out.substr(done.out.find("\neval  top1"));
  };
  const std::string place = (folder / "eval").native();
  const Result kept = evaluate({});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_THAT(result_of(kept), HasSubstr(place));
  EXPECT_EQ(folders(), 1);
  const Result bare = evaluate(
      {.set = {"log.jsonl=false", "log.csv=false", "log.tensorboard=false"}});
  EXPECT_EQ(bare.exit_code, 0) << bare.err;
  EXPECT_THAT(
      result_of(bare),
      AllOf(HasSubstr("evaluated: top1"), Not(HasSubstr(place))));
  EXPECT_EQ(folders(), 1);
  EXPECT_EQ(evaluate({.set = {"model.depth=3"}}).exit_code, 4);
  EXPECT_EQ(folders(), 1);
}

} // namespace
} // namespace vitrain::e2e
