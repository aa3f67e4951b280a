#include "report/runs/run_record.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/error.h"
#include "core/system/lock_file.h"
#include "job/run/failure_record.h"
#include "report/runs/commands.h"
#include "report/runs/compare.h"
#include "report/runs/texts.h"
#include "report/terminal/ending.h"
#include "report/terminal/listing.h"
#include "support.h"

namespace vitrain::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(Run, BestAndLast) {
  const TempFolder folder;
  const report::Run run = open_run(write_run(folder, "a"));
  EXPECT_EQ(run.name, "a");
  EXPECT_EQ(run.state, RunStatus::kDone);
  EXPECT_TRUE(run.trains());
  EXPECT_EQ(
      evaluation_text(run, run.best()), "top1 60.00 % at epoch 1 (step 2)");
  EXPECT_EQ(
      evaluation_text(run, run.last()), "top1 55.00 % at epoch 2 (step 4)");
  EXPECT_EQ(epochs_text(run, " of "), "2 of 2");
  EXPECT_EQ(run.images_per_second(), 128.0);
  EXPECT_THAT(run.problems, SizeIs(0));
}

// Epochs of one step, from the second on of three.
TEST(Run, EpochsMayHaveOtherNumbersOfSteps) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  std::string lines = slurp(path / "metrics.jsonl");
  const std::string whole = R"("steps_per_epoch":2,)";
  const auto at = lines.find(whole);
  ASSERT_NE(at, std::string::npos);
  lines.replace(
      at,
      whole.size(),
      R"("steps_per_epoch":1,"epochs_of_steps":[{"from_epoch":1,"steps":1},)"
      R"({"from_epoch":2,"steps":3}],)");
  folder.write("a/metrics.jsonl", lines);
  const report::Run run = open_run(path);
  EXPECT_EQ(run.epoch_of(1), 1);
  EXPECT_EQ(run.epoch_of(2), 2);
  EXPECT_EQ(run.epoch_of(4), 2);
  EXPECT_EQ(epochs_text(run, " of "), "2 of 2");
  EXPECT_EQ(run.steps_per_epoch(), 0); // curves go by steps
  folder.write(
      "a/metrics.jsonl",
      R"({"kind":"start","epochs_of_steps":[3,{"from_epoch":4}]})"
      "\n");
  EXPECT_TRUE(open_run(path).timeline().empty());
}

TEST(Run, TheBestIsByTheMetricOfTheRecipe) {
  const TempFolder folder;
  config::Recipe recipe;
  recipe.checkpoint.metric = Metric::kLoss;
  const report::Run run = open_run(write_run(folder, "a", recipe));
  EXPECT_EQ(
      evaluation_text(run, run.best()), "loss 1.2500 at epoch 2 (step 4)");
}

TEST(Run, States) {
  const TempFolder folder;
  EXPECT_EQ(
      open_run(write_run(folder, "a", {}, done_line(2, 75))).state,
      RunStatus::kStopped);
  const auto broken = write_run(folder, "b", {}, "");
  folder.write(
      "b/log/workerlog.0", "epoch 1\nerror: rank 1: it broke\n  a frame\n");
  EXPECT_EQ(open_run(broken).state, RunStatus::kFailed);
  EXPECT_EQ(open_run(broken).reason, "rank 1: it broke");
  folder.write("b/log/workerlog.2", "error: no memory\n");
  folder.write(
      "b/log/workerlog.0",
      "error: all-reduce 3 (data) failed, probably because another worker is "
      "gone\n");
  EXPECT_EQ(open_run(broken).reason, "no memory");
  {
    const LockFile lock(broken / "run.lock");
    EXPECT_EQ(open_run(broken).state, RunStatus::kRunning);
  }
  EXPECT_EQ(open_run(broken).state, RunStatus::kFailed);
  const auto interrupted = write_run(folder, "c", {}, "");
  job::write_failure({interrupted}, "ended by SIGINT in set-up", 128 + 2);
  EXPECT_EQ(open_run(interrupted).state, RunStatus::kStopped);
}

// Workers that lose a peer know of a closed connection only.
TEST(Run, TheSupervisorKnowsWhyItFailed) {
  const TempFolder folder;
  const auto path = write_run(folder, "a", {}, "");
  folder.write(
      "a/log/workerlog.0",
      "error: [gloo/transport/tcp/pair.cc:534] Connection closed by peer\n");
  EXPECT_THAT(open_run(path).reason, HasSubstr("gloo"));
  const job::RunDirectory run{path};
  job::write_failure(run, "rank 1 killed by signal 9 (SIGKILL) in step 3", 7);
  EXPECT_EQ(open_run(path).state, RunStatus::kFailed);
  EXPECT_EQ(
      open_run(path).reason, "rank 1 killed by signal 9 (SIGKILL) in step 3");
  // Also where rank 0 has stopped well after another one's failure.
  write_run(folder, "a", {}, done_line(4, 7));
  EXPECT_EQ(open_run(path).state, RunStatus::kFailed);
  EXPECT_THAT(open_run(path).reason, HasSubstr("killed by signal 9"));
  write_run(folder, "a", {}, done_line(4, 0));
  EXPECT_EQ(open_run(path).state, RunStatus::kDone);
  EXPECT_EQ(open_run(path).reason, "");
  folder.write("a/failure.json", "{\"reason\": 3}");
  EXPECT_FALSE(job::read_failure(run));
}

// The end record belongs to the process before if the failure is newer.
TEST(Run, AResumedRunThatFailedIsNotDone) {
  using Time = std::filesystem::file_time_type;
  const TempFolder folder;
  const auto path = write_run(folder, "a", {}, done_line(4, 0));
  const job::RunDirectory run{path};
  job::write_failure(run, "out of memory in set-up", 5);
  const Time now = Time::clock::now();
  const auto set_times = [&](Time failed, Time recorded) {
    std::filesystem::last_write_time(run.failure(), failed);
    std::filesystem::last_write_time(run.metrics(), recorded);
  };
  set_times(now, now - std::chrono::hours(1));
  EXPECT_EQ(open_run(path).state, RunStatus::kFailed);
  EXPECT_EQ(open_run(path).reason, "out of memory in set-up");
  set_times(now - std::chrono::hours(1), now);
  EXPECT_EQ(open_run(path).state, RunStatus::kDone);
}

// The log's lines about an earlier attempt do not describe the last one.
TEST(Run, TheLogOfTheLastAttemptCounts) {
  const TempFolder folder;
  const auto path = write_run(folder, "a", {}, "");
  const std::string head =
      "rank 0 of 2, cpu, started by vitrain on 2026-01-31 at 12:00:00\n";
  folder.write(
      "a/log/workerlog.0",
      head + "error: no memory\n" + head + "epoch 1/2  batch 1/2\n");
  EXPECT_EQ(open_run(path).state, RunStatus::kFailed);
  EXPECT_EQ(open_run(path).reason, "");
}

// A worker that was killed left no words, and its peers blamed the connection.
TEST(Run, AWorkerWithoutWordsIsTheCause) {
  const TempFolder folder;
  const auto path = write_run(folder, "a", {}, "");
  folder.write(
      "a/log/workerlog.0",
      "error: rank 0: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:"
      "534] Connection closed by peer [127.0.0.1]:4711\n");
  folder.write("a/log/workerlog.1", "epoch 1/2  batch 1/2\n");
  EXPECT_THAT(
      open_run(path).reason,
      AllOf(HasSubstr("rank 1 ended"), Not(HasSubstr("gloo"))));
}

TEST(Run, ARecipeOfAnotherVersionIsAProblem) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  folder.write("a/config.yaml", "run: {key_of_2099: 1}\n");
  const report::Run run = open_run(path);
  EXPECT_FALSE(run.recipe.has_value());
  ASSERT_THAT(run.problems, SizeIs(1));
  EXPECT_THAT(run.problems[0], HasSubstr("key_of_2099"));
}

TEST(Run, ARunIsAListOfItself) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  write_run(folder, "b");
  const auto list = list_runs(path / "", config::RunOrder::kName);
  ASSERT_THAT(list, SizeIs(1));
  EXPECT_EQ(list[0].run.name, "a");
}

// One such run once hid all other runs.
TEST(Run, RecordsThatCannotBeReadAreAProblem) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  std::filesystem::remove(path / "metrics.jsonl");
  ASSERT_EQ(::mkfifo((path / "metrics.jsonl").c_str(), 0600), 0);
  std::filesystem::create_directory(path / "log");
  ASSERT_EQ(::mkfifo((path / "log/workerlog.0").c_str(), 0600), 0);
  write_run(folder, "b");
  const report::Run run = open_run(path);
  EXPECT_EQ(run.state, RunStatus::kNoRecords);
  ASSERT_THAT(run.problems, SizeIs(1));
  EXPECT_THAT(run.problems[0], HasSubstr("it is no regular file"));
  const auto list = list_runs(folder.path(), config::RunOrder::kName);
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[1].run.state, RunStatus::kDone);
  EXPECT_THAT(
      runs_table(list, {}, /*fits=*/false),
      AllOf(HasSubstr("no records"), HasSubstr("it is no regular file")));
}

// Runs in a process of its own, as a user who is not root: root may read all.
int check_closed(const std::filesystem::path& folder) {
  if (::geteuid() == 0 && ::setuid(65534) != 0) {
    return 1;
  }
  const auto list = list_runs(folder, config::RunOrder::kName);
  for (const ListedRun& one : list) {
    std::fprintf(
        stderr, "%s %zu\n", one.run.name.c_str(), one.run.problems.size());
  }
  return list.size() == 2 && list[0].run.problems.empty() &&
          list[1].run.state == RunStatus::kNoRecords &&
          list[1].run.problems.at(0).ends_with("Permission denied")
      ? 0
      : 2;
}

TEST(Run, OneThatMayNotBeReadIsListed) {
  const TempFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  write_run(folder, "a-20260101-000000");
  const auto closed = write_run(folder, "b-20260101-000000");
  folder.write("not-of-a-run/file");
  for (const auto& path : {closed, folder / "not-of-a-run"}) {
    std::filesystem::permissions(path, std::filesystem::perms::none);
  }
  EXPECT_EXIT(
      std::_Exit(check_closed(folder.path())), testing::ExitedWithCode(0), "");
  for (const auto& path : {closed, folder / "not-of-a-run"}) {
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
}

// It was said to have failed.
TEST(Run, OneThatWritesNoRecordsIsNotSaidToHaveFailed) {
  const TempFolder folder;
  config::Recipe recipe;
  recipe.log.jsonl = false;
  const auto path = write_run(folder, "a", recipe);
  std::filesystem::remove(path / "metrics.jsonl");
  folder.write("a/log/workerlog.0", "epoch 1\n");
  EXPECT_EQ(open_run(path).state, RunStatus::kNoRecords);
  EXPECT_EQ(open_run(path).reason, "log.jsonl: false");
  folder.write("a/log/workerlog.0", "error: no memory\n");
  EXPECT_EQ(open_run(path).state, RunStatus::kFailed);
  EXPECT_EQ(open_run(path).reason, "no memory");
}

TEST(Run, FoldersAndPaths) {
  const TempFolder folder;
  const auto path = write_run(folder, "b");
  write_run(folder, "a");
  folder.write("c/config.yaml", "");
  folder.write("d");
  EXPECT_THAT(runs_in(folder.path()), ElementsAre(folder / "a", path));
  const auto real = std::filesystem::canonical(path);
  EXPECT_EQ(run_folder(path / "config.yaml"), real);
  EXPECT_EQ(run_folder(path / ""), real);
  EXPECT_THROW(run_folder(folder / "c"), Error);
  EXPECT_THROW(run_folder(folder / "none"), Error);
  EXPECT_THROW(runs_in(folder / "none"), Error);
  EXPECT_EQ(open_run(path / "").name, "b");
}

TEST(Run, SettingsThatDiffer) {
  const TempFolder folder;
  config::Recipe other;
  other.optim.lr = 0.25;
  other.log.every = 3;
  const std::vector<report::Run> runs{
      open_run(write_run(folder, "a")),
      open_run(write_run(folder, "b", other))};
  const std::vector<SettingRow> rows = different_settings(runs);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].name, "optim.lr");
  EXPECT_EQ(rows[0].values[1], "0.25");
  const std::vector<SettingRow> own = settings_of(runs[1]);
  ASSERT_THAT(own, SizeIs(2));
  EXPECT_EQ(own[0].name, "optim.lr");
}

TEST(Run, CommandsAreForAShell) {
  const TempFolder folder;
  const auto path = write_run(folder, "it's a run", {}, "");
  folder.write(
      "it's a run/environment.json",
      Json{{"working_folder", folder.path().native()}}.dump());
  // Without a checkpoint there is nothing to resume, evaluate or export.
  const auto unsaved = commands_for(open_run(path), "/opt/vitrain");
  ASSERT_THAT(unsaved, SizeIs(3));
  EXPECT_THAT(unsaved.front().line, HasSubstr("/opt/vitrain -cfg 'it'"));
  folder.write("it's a run/checkpoints/step-000000007/manifest.json", "{}");
  const std::vector<Command> commands =
      commands_for(open_run(path), "/opt/vitrain");
  EXPECT_EQ(
      commands.front().line,
      "cd " + folder.path().native() +
          " && /opt/vitrain -resume 'it'\\''s a run'");
}

// A run that its patience has ended would end again at once.
TEST(Run, TrainingLongerLeavesOutThePatience) {
  const TempFolder folder;
  config::Recipe recipe;
  recipe.run.epochs = 7;
  const auto first_line = [&] {
    const auto path = write_run(folder, "a", recipe);
    folder.write("a/checkpoints/step-000000004/manifest.json", "{}");
    return commands_for(open_run(path), "vitrain").front().line;
  };
  EXPECT_THAT(first_line(), testing::EndsWith("-set run.epochs=14"));
  recipe.run.patience = 2;
  EXPECT_THAT(
      first_line(),
      testing::EndsWith("-set run.epochs=14 -set run.patience=null"));
}

// As an older version left it.
TEST(Run, PasswordsInUrlsAreNotShown) {
  const TempFolder folder;
  config::Recipe recipe;
  recipe.log.mlflow = "http://host:5000";
  const auto path = write_run(folder, "a", recipe);
  std::string yaml = slurp(path / "config.yaml");
  yaml.insert(yaml.find("host:5000"), "me:s3cret@"); // as older versions did
  folder.write("a/config.yaml", yaml);
  std::string lines = slurp(path / "metrics.jsonl");
  lines.replace(
      lines.find(R"("mode")"),
      0,
      R"("command":"vitrain -set log.mlflow=http://me:s3cret@host:5000",)");
  folder.write("a/metrics.jsonl", lines);
  folder.write(
      "a/environment.json",
      R"({"command": "vitrain -set log.mlflow=http://me:s3cret@host:5000"})");
  const report::Run run = open_run(path);
  ASSERT_TRUE(run.recipe.has_value());
  EXPECT_EQ(run.recipe->log.mlflow, "http://host:5000");
  EXPECT_THAT(run.problems, SizeIs(0));
  const std::string all =
      run.recipe_text + run.records.start.dump() + run.environment.dump();
  EXPECT_THAT(all, HasSubstr("http://***@host:5000"));
  EXPECT_THAT(all, testing::Not(HasSubstr("s3cret")));
}

// A process on another host that vanished without a trace.
TEST(Run, AHolderThatHasBeenSilentForLongDoesNotTrain) {
  const TempFolder folder;
  const auto path = write_run(folder, "a", {}, "");
  LockHolder holder = this_process();
  holder.host = "elsewhere";
  holder.boot = "another";
  folder.write("a/run.lock", lock_text(holder));
  EXPECT_EQ(open_run(path).state, RunStatus::kRunning);
  std::filesystem::last_write_time(
      path / "run.lock",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(open_run(path).state, RunStatus::kFailed);
}

// Continue, evaluate, look: at the end of every run.
TEST(Run, ItsEndSaysWhatComesNext) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  const auto labels = [&](const report::Run& run) {
    std::vector<std::string> found;
    for (const logging::BannerLine& line : ending_section(run)) {
      found.push_back(line.label);
    }
    return found;
  };
  EXPECT_THAT(labels(open_run(path)), ElementsAre("start again", "look"));
  folder.write("a/checkpoints/step-000000004/manifest.json", "{}");
  folder.write("a/report.html", "");
  const logging::BannerSection done = ending_section(open_run(path));
  ASSERT_THAT(
      labels(open_run(path)),
      ElementsAre("continue", "evaluate", "look", "page"));
  EXPECT_THAT(
      done[0].text,
      AllOf(
          HasSubstr("-resume " + path.native()),
          HasSubstr("-set run.epochs="))); // it has all its steps
  EXPECT_THAT(done[1].text, HasSubstr("-eval -pretrained " + path.native()));
  EXPECT_THAT(done[2].text, HasSubstr("show " + path.native()));
  write_run(folder, "a", {}, "");
  EXPECT_THAT(ending_section(open_run(path))[0].text, Not(HasSubstr("-set")));
  EXPECT_THAT(ending_of(path), HasSubstr("-resume"));
  EXPECT_EQ(ending_of(folder / "none"), "");
}

TEST(Run, FewClassesShowNoTop5) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  const std::string lines = slurp(path / "metrics.jsonl");
  const auto names = [&](const std::string& counts) {
    std::string changed = lines;
    changed.replace(changed.find("\"workers\":2"), 11, counts);
    folder.write("a/metrics.jsonl", changed);
    const report::Run run = open_run(path);
    std::string text;
    for (const MetricInfo& metric : metrics_of({&run, 1})) {
      text += std::string(metric.name) + " ";
    }
    return text;
  };
  EXPECT_EQ(names("\"classes\":6"), "loss top1 top5 ");
  EXPECT_EQ(names("\"classes\":5"), "loss top1 ");
  EXPECT_EQ(names("\"classes\":1000,\"subset\":5"), "loss top1 ");
  EXPECT_EQ(names("\"workers\":2"), "loss top1 top5 "); // not known
}

} // namespace
} // namespace vitrain::report
