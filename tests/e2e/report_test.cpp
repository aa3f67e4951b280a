#include <gmock/gmock.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Report, ARunLeavesOneAndTheVerbsReadIt) {
  const TempFolder folder;
  const auto path = train(folder.path(), {.devices = "cpu:2"});
  const std::string name = path.filename().native();
  EXPECT_THAT(
      slurp(path / "report.html"),
      AllOf(
          HasSubstr("<title>" + name + "</title>"),
          HasSubstr("badge done"),
          HasSubstr("train.comm_wait")));
  EXPECT_THAT(slurp(path / "log/workerlog.0"), HasSubstr("report.html: "));
  const Result list = run({"runs", folder.path().native(), "-json"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  const Json runs = Json::parse(list.out);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].at("name"), name);
  EXPECT_EQ(runs[0].at("state"), "done");
  EXPECT_EQ(runs[0].at("last"), records(path, "eval").back());
  const Result shown = run({"show", path.native()});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr(name), HasSubstr("evaluation")));
  for (const char* verb : {"runs", "show"}) {
    const Command shell{
        {"bash", "-c", "\"$@\" >/dev/full", "bash", binary(), verb, path}, {}};
    const Result full = run(shell);
    EXPECT_EQ(full.exit_code, 8) << verb << full.err;
  }
  const auto output = folder / "two.html";
  const Result compared = run(
      {"report",
       path.native(),
       path.native(),
       folder.path().native(),
       "-output",
       output.native()});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(slurp(output), HasSubstr("<title>" + name)); // one, named thrice
  const Result none = run({"report", (folder / "none").native()});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("No such file"));
}

// A run's folder is enough to resume it.
TEST(Report, ARunFolderBringsItsRecipe) {
  const TempFolder folder;
  const auto path =
      train(folder.path(), {.set = {"run.max_steps=4", "schedule.warmup=0st"}});
  const Result finished = run({"-resume", path.native()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("has all its 4 steps"));
  const Result longer =
      run({"-resume", path.native(), "-set", "run.max_steps=6"}, 120.0);
  EXPECT_EQ(longer.exit_code, 0) << longer.err;
  EXPECT_EQ(steps_in_order(path), 6);
  const Result same = run({"config", "show", "-cfg", path.native()});
  EXPECT_EQ(same.out, slurp(path / "config.yaml"));
  const Result evaluated =
      run({"-eval", "-pretrained", path.native(), "-dry_run"});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
  const Result other = run({"-resume", folder.path().native()});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("give -cfg FILE"));
}

} // namespace
} // namespace vitrain::e2e
