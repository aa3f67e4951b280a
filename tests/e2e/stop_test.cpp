// Stopping, failing and continuing: no run is lost, no process is left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <thread>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

// Long enough to be interrupted anywhere.
std::vector<std::string> long_run(
    const std::filesystem::path& output,
    const std::vector<std::string>& more = {}) {
  auto arguments = tiny_run(
      output,
      {"-devices",
       "cpu:2",
       "-set",
       "run.epochs=100000",
       "-set",
       "run.name=long",
       "-set",
       "eval.every=1000ep",
       "-set",
       "checkpoint.every=1000ep"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

bool alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  return !line.empty() && line.find(") Z ") == std::string::npos;
}

bool all_gone(const std::vector<pid_t>& pids, double seconds) {
  for (int i = 0; i < seconds * 50; ++i) {
    if (std::ranges::none_of(pids, alive)) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

TEST(Stop, SigtermSavesAtACommonStepAndTheRunContinues) {
  const TempFolder folder;
  const auto output = folder / "runs";
  std::int64_t stopped_at = 0;
  {
    Program program(long_run(output, {"-set", "run.max_steps=100000"}));
    ASSERT_TRUE(program.wait_for_record(output, "train", 5, 60));
    program.signal(SIGTERM);
    const Result result = program.wait(30);
    EXPECT_EQ(result.exit_code, 75) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("stopped on request"));
    const auto saved = records(newest_run(output), "checkpoint");
    ASSERT_EQ(saved.size(), 1u);
    stopped_at = saved[0].at("step");
  }
  // The same folder goes on, step by step, and nothing is done twice.
  const auto first = newest_run(output);
  Program program(
      long_run(output, {"-set", "run.max_steps=100000", "-resume", "auto"}));
  ASSERT_TRUE(program.wait_for_record(
      output, "train", static_cast<int>(stopped_at) + 5, 60));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait(30).exit_code, 75);
  EXPECT_EQ(newest_run(output), first);
  std::int64_t expected = 1;
  for (const Json& record : records(first, "train")) {
    EXPECT_EQ(record.at("step"), expected++);
  }
}

// Left, saved, and made up for by the run that continues.
TEST(Stop, AnEvaluationIsLeftAndMadeUpFor) {
  const TempFolder folder;
  const auto arguments = [&](const char* samples) {
    return std::vector<std::string>{
        "-devices",
        "cpu:2",
        "-set",
        "run.name=r",
        "-set",
        "run.max_steps=4",
        "-set",
        "eval.every=4st",
        "-set",
        "checkpoint.every=4st",
        "-set",
        "schedule.warmup=0st",
        "-set",
        std::string("data.eval.count=") + samples};
  };
  Program program(tiny_run(folder / "runs", arguments("400000")));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 4, 60));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  program.signal(SIGTERM);
  const auto start = std::chrono::steady_clock::now();
  const Result left = program.wait(60);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(left.exit_code, 75) << left.err;
  const auto path = newest_run(folder / "runs");
  EXPECT_EQ(records(path, "eval").size(), 0u);
  ASSERT_EQ(records(path, "checkpoint").size(), 1u);
  EXPECT_EQ(records(path, "checkpoint")[0].at("step"), 4);
  auto again = arguments("101");
  again.insert(again.end(), {"-resume", path.native()});
  const Result result = run(tiny_run(folder / "runs", again));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(records(path, "eval").size(), 1u);
  EXPECT_EQ(records(path, "eval")[0].at("step"), 4);
  EXPECT_EQ(records(path, "eval")[0].at("count"), 101);
  // Now it has everything.
  EXPECT_THAT(
      run(tiny_run(folder / "runs", again)).err, HasSubstr("nothing to do"));
}

TEST(Stop, AResumedRunEqualsAnUninterruptedOne) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-devices",
      "cpu:2",
      "-set",
      "run.max_steps=30",
      "-set",
      "run.name=r",
      "-set",
      "checkpoint.every=7st",
      "-set",
      "checkpoint.keep_last=20",
      "-set",
      "model.drop_path=0.2"};
  ASSERT_EQ(run(tiny_run(folder / "whole", common)).exit_code, 0);
  const auto whole = newest_run(folder / "whole");
  const auto copy = copy_until(whole, folder / "part", "step-000000014");
  auto again = common;
  again.insert(
      again.end(),
      {"-resume", (copy / "checkpoints" / "step-000000014").native()});
  const Result result = run(tiny_run(folder / "part", again));
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto a = records(whole, "train");
  const auto b = records(copy, "train");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].at("loss"), b[i].at("loss")) << "step " << i + 1;
    EXPECT_EQ(a[i].at("samples_hash"), b[i].at("samples_hash"));
  }
  const auto model = std::filesystem::path("checkpoints") / "step-000000030" /
      "model.safetensors";
  EXPECT_EQ(slurp(whole / model), slurp(copy / model));
}

TEST(Stop, AFinishedRunHasNothingToDo) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-set",
      "run.max_steps=3",
      "-set",
      "run.name=r",
      "-set",
      "schedule.warmup=0st"};
  ASSERT_EQ(run(tiny_run(folder / "runs", common)).exit_code, 0);
  const auto before = slurp(newest_run(folder / "runs") / "metrics.jsonl");
  auto again = common;
  again.insert(again.end(), {"-resume", "auto"});
  const Result result = run(tiny_run(folder / "runs", again));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("nothing to do"));
  EXPECT_EQ(slurp(newest_run(folder / "runs") / "metrics.jsonl"), before);
}

// Its samples or its weights would be others.
TEST(Stop, AnotherRecipeCannotContinue) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-set",
      "run.max_steps=3",
      "-set",
      "run.name=r",
      "-set",
      "schedule.warmup=0st"};
  ASSERT_EQ(run(tiny_run(folder / "runs", common)).exit_code, 0);
  const auto path = newest_run(folder / "runs");
  const auto before = slurp(path / "metrics.jsonl");
  const auto refusal = [&](const std::string& set) {
    auto again = common;
    again.insert(
        again.end(),
        {"-resume", path.native(), "-set", "run.max_steps=6", "-set", set});
    const Result result = run(tiny_run(folder / "runs", again));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(
      refusal("run.seed=5"), HasSubstr("seed: checkpoint 0, this run 5"));
  EXPECT_THAT(
      refusal("optim.name=sgd"),
      HasSubstr("optim.name: checkpoint \"adamw\", this run \"sgd\""));
  EXPECT_THAT(
      refusal("model.depth=3"),
      AllOf(HasSubstr("depth 2, heads"), HasSubstr("depth 3, heads")));
  EXPECT_EQ(slurp(path / "metrics.jsonl"), before);
}

// A sweep must not find the runs of its other recipes, nor end in silence.
TEST(Resume, AutoRefusesAnotherRecipe) {
  const TempFolder folder;
  std::vector<std::string> arguments{
      "-set",
      "run.max_steps=3",
      "-set",
      "run.name=r",
      "-set",
      "schedule.warmup=0st",
      "-resume",
      "auto"};
  const Result first = run(tiny_run(folder / "runs", arguments));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("no run 'r' with a checkpoint"));
  const auto path = newest_run(folder / "runs");
  const auto before = slurp(path / "metrics.jsonl");
  for (const auto& [key, difference] :
       {std::pair("optim.lr=0.1", "\n  optim.lr: 0.001 -> 0.1\n"),
        std::pair("run.seed=5", "\n  run.seed: 0 -> 5\n"),
        std::pair("model.depth=3", "\n  model.depth: 2 -> 3\n")}) {
    auto other = arguments;
    other.insert(other.end(), {"-set", key});
    const Result refused = run(tiny_run(folder / "runs", other));
    EXPECT_EQ(refused.exit_code, 2) << key;
    EXPECT_THAT(
        refused.err,
        AllOf(HasSubstr(path.filename().native()), HasSubstr(difference)));
  }
  EXPECT_EQ(slurp(path / "metrics.jsonl"), before);
  EXPECT_EQ(newest_run(folder / "runs"), path);
  EXPECT_THAT(
      run(tiny_run(folder / "runs", arguments)).err,
      HasSubstr("has all its 3 steps: nothing to do"));
  // Longer is not another recipe.
  auto longer = arguments;
  longer[1] = "run.max_steps=5";
  const Result more = run(tiny_run(folder / "runs", longer));
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("\n  run.max_steps: 3 -> 5\n"));
  EXPECT_EQ(newest_run(folder / "runs"), path);
  EXPECT_EQ(records(path, "train").back().at("step"), 5);
  // Asked for by name, a finished run says what would have no effect.
  auto named = std::vector<std::string>(arguments.begin(), arguments.end() - 1);
  named.insert(named.end(), {path.native(), "-set", "optim.lr=0.1"});
  const Result refused = run(tiny_run(folder / "runs", named));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(
      refused.err,
      AllOf(
          HasSubstr("has 5 steps, and this recipe asks for 3"),
          HasSubstr("optim.lr: 0.001 -> 0.1")));
}

// What changes is printed and recorded, and what it replaces is kept.
TEST(Resume, FromAnOlderCheckpointKeepsTheBranchThatItLeaves) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-set",
      "run.max_steps=12",
      "-set",
      "run.name=r",
      "-set",
      "checkpoint.every=4st",
      "-set",
      "checkpoint.keep_last=9"};
  ASSERT_EQ(run(tiny_run(folder / "runs", common)).exit_code, 0);
  const auto path = newest_run(folder / "runs");
  const auto recipe = slurp(path / "config.yaml");
  const auto metrics = slurp(path / "metrics.jsonl");
  const auto model = std::filesystem::path("checkpoints") / "step-000000012" /
      "model.safetensors";
  const auto weights = slurp(path / model);
  auto again = common;
  again.insert(
      again.end(),
      {"-resume",
       (path / "checkpoints" / "step-000000004").native(),
       "-set",
       "optim.lr=0.01"});
  const Result result = run(tiny_run(folder / "runs", again));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("\n  optim.lr: 0.001 -> 0.01\n"));
  EXPECT_THAT(
      result.out,
      AllOf(
          HasSubstr("the checkpoints of steps 8, 12, with the records of the "
                    "steps after 4, are now in "),
          HasSubstr("is the recipe of the steps after 4")));
  EXPECT_THAT(slurp(path / "config.yaml"), HasSubstr("  lr: 0.01\n"));
  const auto starts = records(path, "start");
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_EQ(starts[1].at("resumed_step"), 4);
  EXPECT_NE(starts[0].at("config_hash"), starts[1].at("config_hash"));
  EXPECT_EQ(records(path, "train").back().at("step"), 12);
  EXPECT_NE(slurp(path / model), weights);
  const auto kept = path / "replaced-1";
  EXPECT_EQ(slurp(kept / "config.yaml"), recipe);
  EXPECT_EQ(slurp(kept / "metrics.jsonl"), metrics);
  EXPECT_EQ(slurp(kept / model), weights);
  // It is a run that can go on.
  auto further = common;
  further.insert(
      further.end(), {"-resume", kept.native(), "-set", "run.max_steps=14"});
  const Result old = run(tiny_run(folder / "runs", further));
  ASSERT_EQ(old.exit_code, 0) << old.err;
  EXPECT_THAT(old.out, HasSubstr("continuing after step 12"));
  EXPECT_EQ(records(kept, "train").size(), 14u);
}

// A damaged checkpoint is found before anything is moved or cut off.
TEST(Resume, WhatCannotBeRestoredLeavesTheFolderAsItWas) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-set",
      "run.max_steps=12",
      "-set",
      "run.name=r",
      "-set",
      "checkpoint.every=4st",
      "-set",
      "checkpoint.keep_last=9"};
  ASSERT_EQ(run(tiny_run(folder / "runs", common)).exit_code, 0);
  const auto path = newest_run(folder / "runs");
  const auto metrics = slurp(path / "metrics.jsonl");
  const auto damaged = path / "checkpoints" / "step-000000004";
  std::filesystem::resize_file(damaged / "model.safetensors", 100);
  auto again = common;
  again.insert(
      again.end(), {"-resume", damaged.native(), "-set", "optim.lr=0.01"});
  EXPECT_EQ(run(tiny_run(folder / "runs", again)).exit_code, 4);
  EXPECT_EQ(slurp(path / "metrics.jsonl"), metrics);
  EXPECT_FALSE(std::filesystem::exists(path / "replaced-1"));
}

// Rows of a run's metrics.jsonl without times.
std::vector<Json> rows_of(const std::filesystem::path& run) {
  std::vector<Json> rows = records(run);
  std::erase_if(
      rows, [](const Json& row) { return row.at("kind") == "start"; });
  for (Json& row : rows) {
    for (const char* time :
         {"step_seconds",
          "images_per_second",
          "data_wait",
          "comm_seconds",
          "comm_busy_seconds",
          "comm_wait",
          "start_begin_seconds",
          "start_end_seconds",
          "seconds",
          "path"}) {
      row.erase(time);
    }
  }
  return rows;
}

// A row that a checkpoint lies within is that of all its steps; also where
// shares are uneven, and at the ends of epochs.
TEST(Resume, InsideALogIntervalKeepsItsRow) {
  for (const int workers : {1, 3}) {
    const TempFolder folder;
    const std::vector<std::string> common{
        "-devices",
        "cpu:" + std::to_string(workers),
        "-set",
        "run.epochs=4",
        "-set",
        "run.max_steps=30",
        "-set",
        "run.name=r",
        "-set",
        "log.every=8",
        "-set",
        "data.train.count=203",
        "-set",
        "data.batch_size=7",
        "-set",
        "checkpoint.every=5st",
        "-set",
        "checkpoint.keep_last=20"};
    ASSERT_EQ(run(tiny_run(folder / "whole", common)).exit_code, 0);
    const auto whole = newest_run(folder / "whole");
    for (const char* step : {"step-000000005", "step-000000020"}) {
      const auto copy = copy_until(whole, folder / step, step);
      auto again = common;
      again.insert(
          again.end(), {"-resume", (copy / "checkpoints" / step).native()});
      const Result result = run(tiny_run(folder / step, again));
      ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
      EXPECT_EQ(rows_of(copy), rows_of(whole)) << workers << " " << step;
    }
  }
}

// Both would write metrics and checkpoints of one run.
TEST(Resume, ARunFolderHasOneWriter) {
  const TempFolder folder;
  const auto output = folder / "runs";
  const std::vector<std::string> more{"-set", "checkpoint.every=1st"};
  Program program(long_run(output, more));
  ASSERT_TRUE(program.wait_for_record(output, "checkpoint", 2, 60));
  const auto path = newest_run(output);
  const Json lock = Json::parse(slurp(path / "run.lock"));
  EXPECT_EQ(lock.at("pid"), program.pid());
  auto second = more;
  second.insert(second.end(), {"-resume", path.native()});
  const Result refused = run(long_run(output, second));
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(
      refused.err,
      AllOf(
          HasSubstr(path.filename().native() + " is in use"),
          HasSubstr("pid " + std::to_string(program.pid()) + " on host ")));
  // Looking costs nothing.
  second.push_back("-dry_run");
  EXPECT_EQ(run(long_run(output, second)).exit_code, 0);
  // A holder that was killed is no obstacle, and a stopped one leaves nothing.
  const pid_t killed = program.pid();
  program.signal(SIGKILL);
  program.wait(5);
  EXPECT_TRUE(std::filesystem::exists(path / "run.lock"));
  second.pop_back();
  Program third(long_run(output, second));
  ASSERT_TRUE(third.wait_for_record(output, "start", 2, 60));
  const auto saved = static_cast<int>(records(path, "checkpoint").size());
  ASSERT_TRUE(third.wait_for_record(output, "checkpoint", saved + 1, 60));
  EXPECT_EQ(Json::parse(slurp(path / "run.lock")).at("pid"), third.pid());
  third.signal(SIGTERM);
  const Result stopped = third.wait(30);
  EXPECT_EQ(stopped.exit_code, 75);
  EXPECT_THAT(
      stopped.err, HasSubstr("taken over from pid " + std::to_string(killed)));
  EXPECT_FALSE(std::filesystem::exists(path / "run.lock"));
}

TEST(Resume, EveryCheckpointThatIsPassedOverIsNamed) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-set",
      "run.max_steps=12",
      "-set",
      "run.name=r",
      "-set",
      "checkpoint.every=4st",
      "-set",
      "checkpoint.keep_last=9"};
  ASSERT_EQ(run(tiny_run(folder / "runs", common)).exit_code, 0);
  const auto path = newest_run(folder / "runs");
  const auto checkpoints = path / "checkpoints";
  std::filesystem::resize_file(
      checkpoints / "step-000000012" / "model.safetensors", 100);
  std::filesystem::remove(checkpoints / "step-000000008" / "manifest.json");
  std::filesystem::create_directory(checkpoints / ".step-000000012.tmp-1");
  std::filesystem::remove(checkpoints / "latest");
  std::filesystem::create_directory(checkpoints / "latest");
  auto again = common;
  again.insert(again.end(), {"-resume", "auto"});
  const Result result = run(tiny_run(folder / "runs", again));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.err,
      AllOf(
          HasSubstr("passed over "),
          HasSubstr("step-000000012/model.safetensors: has 100 bytes"),
          HasSubstr("step-000000008/manifest.json: "),
          HasSubstr("/latest: is a directory")));
  EXPECT_THAT(
      result.out,
      AllOf(
          HasSubstr("continuing after step 4"),
          HasSubstr("removed 1 unfinished checkpoint"),
          HasSubstr("steps 8, 12, with the records of the steps after 4"),
          HasSubstr("; damaged: "),
          Not(HasSubstr("goes on from")),
          HasSubstr("/latest was an empty folder")));
  EXPECT_FALSE(std::filesystem::exists(checkpoints / ".step-000000012.tmp-1"));
  EXPECT_EQ(slurp(checkpoints / "latest"), "step-000000012\n");
}

// As a batch system starts a job again that it has killed early.
TEST(Resume, ARunWithoutACheckpointBeginsAgainInItsFolder) {
  const TempFolder folder;
  const auto output = folder / "runs";
  {
    Program program(long_run(output));
    ASSERT_TRUE(program.wait_for_record(output, "train", 3, 60));
    program.signal(SIGKILL);
    program.wait(5);
  }
  const auto path = newest_run(output);
  std::filesystem::create_directories(
      path / "checkpoints" / ".step-000000009.tmp-1" / "deep");
  Program program(long_run(output, {"-resume", "auto"}));
  ASSERT_TRUE(program.wait_for_record(output, "start", 2, 60));
  // Before the first step there would be nothing to save.
  ASSERT_TRUE(program.wait_for_record(output, "train", 1, 60));
  program.signal(SIGTERM);
  const Result result = program.wait(30);
  EXPECT_EQ(result.exit_code, 75) << result.err;
  EXPECT_THAT(result.err, HasSubstr("ended before its first checkpoint"));
  EXPECT_EQ(newest_run(output), path);
  EXPECT_EQ(
      std::ranges::distance(std::filesystem::directory_iterator(output)), 1);
  EXPECT_FALSE(
      std::filesystem::exists(path / "checkpoints" / ".step-000000009.tmp-1"));
  std::int64_t expected = 1;
  for (const Json& record : records(path, "train")) {
    EXPECT_EQ(record.at("step"), expected++);
  }
}

// What config.yaml calls the run is `auto`.
TEST(Resume, TheConfigOfARunContinuesThatRun) {
  const TempFolder folder;
  const auto output = folder / "runs";
  ASSERT_EQ(run(tiny_run(output, {"-set", "run.max_steps=12"})).exit_code, 0);
  const auto path = newest_run(output);
  EXPECT_THAT(path.filename().native(), testing::StartsWith("tiny-"));
  const auto config = (path / "config.yaml").native();
  const Result result =
      run({"-cfg", config, "-resume", "-set", "run.max_steps=14"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("continuing after step 12"));
  EXPECT_EQ(
      std::ranges::distance(std::filesystem::directory_iterator(output)), 1);
  EXPECT_EQ(records(path, "train").size(), 14u);
  // Without -resume it is another run of that name.
  ASSERT_EQ(run({"-cfg", config}).exit_code, 0);
  EXPECT_NE(newest_run(output), path);
  EXPECT_THAT(
      newest_run(output).filename().native(), testing::StartsWith("tiny-"));
}

class Death : public testing::TestWithParam<int> {};

TEST_P(Death, OfAWorkerEndsTheRunWithinFiveSeconds) {
  const TempFolder folder;
  Program program(long_run(folder / "runs"));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 3, 60));
  const auto workers = program.workers();
  ASSERT_EQ(workers.size(), 2u);
  const auto start = std::chrono::steady_clock::now();
  ::kill(workers[1], GetParam());
  const Result result = program.wait(20);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  EXPECT_LT(seconds, 5.0);
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("rank 1"));
  EXPECT_TRUE(all_gone(workers, 1.0));
}

INSTANTIATE_TEST_SUITE_P(
    BySignal,
    Death,
    testing::Values(SIGKILL, SIGSEGV, SIGABRT));

// The others save and stop, and nobody has asked for it.
TEST(Death, IsNotToldAsARequest) {
  const TempFolder folder;
  Program program(long_run(folder / "runs"));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 3, 60));
  const auto workers = program.workers();
  ASSERT_EQ(workers.size(), 2u);
  ::kill(workers[1], SIGSTOP);
  const Result result = program.wait(20);
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("was stopped by signal 19"));
  EXPECT_THAT(result.out, Not(HasSubstr("on request")));
  for (const Json& done : records(newest_run(folder / "runs"), "done")) {
    EXPECT_EQ(done.at("exit"), 7);
  }
}

// As a debugger stops it: for as long as the recipe says, and no longer.
TEST(Death, OfAStoppedWorkerComesWhenTheRecipeSays) {
  const TempFolder folder;
  const auto stopped = [&](const std::string& limit, int seconds) {
    const auto output = folder / limit;
    Program program(long_run(output, {"-set", limit}));
    EXPECT_TRUE(program.wait_for_record(output, "train", 3, 60));
    const auto workers = program.workers();
    EXPECT_EQ(workers.size(), 2u);
    ::kill(workers.at(1), SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    ::kill(workers.at(1), SIGCONT);
    program.signal(SIGTERM);
    return program.wait(20);
  };
  const Result patient = stopped("dist.timeouts.stopped=60", 6);
  EXPECT_EQ(patient.exit_code, 75) << patient.err;
  const Result strict = stopped("dist.timeouts.stopped=0.5", 2);
  EXPECT_EQ(strict.exit_code, 7) << strict.err;
  EXPECT_THAT(strict.err, HasSubstr("was stopped by signal 19"));
}

TEST(Death, OfTheSupervisorTakesTheWorkersAlong) {
  const TempFolder folder;
  Program program(long_run(folder / "runs"));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 3, 60));
  const auto workers = program.workers();
  ASSERT_EQ(workers.size(), 2u);
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait(5).exit_code, 128 + SIGKILL);
  EXPECT_TRUE(all_gone(workers, 5.0));
}

// Local addresses of listening sockets of these processes, from /proc.
std::set<std::string> listening(const std::vector<pid_t>& pids) {
  std::set<std::string> inodes;
  for (const pid_t pid : pids) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(
             "/proc/" + std::to_string(pid) + "/fd", error)) {
      const auto target =
          std::filesystem::read_symlink(entry.path(), error).native();
      if (target.starts_with("socket:[")) {
        inodes.insert(target.substr(8, target.size() - 9));
      }
    }
  }
  std::set<std::string> addresses;
  for (const char* table : {"tcp", "tcp6"}) {
    std::ifstream file(
        "/proc/" + std::to_string(pids.front()) + "/net/" + table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::vector<std::string> fields{
          std::istream_iterator<std::string>(words), {}};
      if (fields.size() > 9 && fields[3] == "0A" &&
          inodes.contains(fields[9])) {
        addresses.insert(fields[1]);
      }
    }
  }
  return addresses;
}

TEST(Network, NothingListensOutsideLoopback) {
  const TempFolder folder;
  Program program(long_run(folder / "runs"));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 3, 60));
  auto processes = program.workers();
  processes.push_back(program.pid());
  const auto addresses = listening(processes);
  EXPECT_FALSE(addresses.empty()); // the store of rank 0, at least
  for (const std::string& address : addresses) {
    const bool loopback = address.starts_with("0100007F:") ||
        address.starts_with("00000000000000000000000001000000:") ||
        address.starts_with("0000000000000000FFFF00000100007F:");
    EXPECT_TRUE(loopback) << address;
  }
}

} // namespace
} // namespace vitrain::e2e
