// Stopping, failing and continuing: no run is lost, no process is left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <thread>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

// Long enough to be interrupted anywhere.
Words long_run(const std::filesystem::path& output, const Options& more = {}) {
  const Options endless{
      .devices = "cpu:2",
      .set = {
          "run.epochs=100000",
          "run.name=long",
          "eval.every=1000ep",
          "checkpoint.every=1000ep"}};
  return tiny_run(output, endless.with(more));
}

// Over at once.
const Options kThreeSteps{
    .set = {"run.max_steps=3", "run.name=r", "schedule.warmup=0st"}};
// With checkpoints of the steps 4, 8 and 12.
const Options kThreeCheckpoints{
    .set = {
        "run.max_steps=12",
        "run.name=r",
        "checkpoint.every=4st",
        "checkpoint.keep_last=9"}};

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
    Program program(long_run(output, {.set = {"run.max_steps=100000"}}));
    ASSERT_TRUE(program.wait_for_record(output, "train", 5, 60));
    program.signal(SIGTERM);
    const Result result = program.wait(30);
    EXPECT_EQ(result.exit_code, 75) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("stopped on request"));
    const auto saved = records(newest_run(output), "checkpoint");
    ASSERT_EQ(saved.size(), 1u);
    stopped_at = saved[0].at("step");
  }
  // The run resumes in its folder, step by step, without repeating steps.
  const auto first = newest_run(output);
  Program program(
      long_run(output, {.set = {"run.max_steps=100000"}, .resume = "auto"}));
  ASSERT_TRUE(program.wait_for_record(
      output, "train", static_cast<int>(stopped_at) + 5, 60));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait(30).exit_code, 75);
  EXPECT_EQ(newest_run(output), first);
  steps_in_order(first);
}

// No worker has printed the commands: it was stopped in set-up, and the end
// record is the one of the process before.
TEST(Stop, AResumedRunThatIsStoppedInSetUpSaysHowToContinue) {
  const TempFolder folder;
  const auto output = folder / "runs";
  Program first(long_run(output));
  ASSERT_TRUE(first.wait_for_record(output, "train", 5, 60));
  first.signal(SIGTERM);
  const Result told = first.wait(30);
  EXPECT_EQ(told.exit_code, 75);
  const auto path = newest_run(output);
  EXPECT_THAT(told.out, HasSubstr("vitrain -resume"));
  EXPECT_THAT(told.err, Not(HasSubstr("vitrain -resume")));
  Program second(long_run(output, {.resume = path}));
  while (second.workers().empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  second.signal(SIGTERM);
  const Result stopped = second.wait(30);
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_EQ(records(path, "start").size(), 1u);
  EXPECT_THAT(stopped.err, HasSubstr("vitrain -resume"));
}

// The supervisor itself fails, before any worker starts.
TEST(Stop, ASupervisorThatFailsSaysHowToContinue) {
  const TempFolder folder;
  const auto path = train(folder / "runs", kThreeSteps);
  std::filesystem::remove(path / "log" / "workerlog.0");
  std::filesystem::create_directory(path / "log" / "workerlog.0");
  const Result failed = run({"-resume", path, "-set", "run.max_steps=6"});
  EXPECT_EQ(failed.exit_code, 8) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("vitrain -resume"));
}

TEST(Stop, AtTheEndOfItsTimeARunSaves) {
  const TempFolder folder;
  const Result result =
      run(long_run(folder / "runs", {.set = {"run.max_time=3s"}}));
  EXPECT_EQ(result.exit_code, 75) << result.err;
  EXPECT_THAT(result.out, HasSubstr("run.max_time (3s) is over"));
  const auto path = newest_run(folder / "runs");
  const auto saved = records(path, "checkpoint");
  ASSERT_EQ(saved.size(), 1u);
  EXPECT_EQ(saved[0].at("step"), steps_in_order(path));
}

// The file is there before the first step: in set-up, and from before a resume.
TEST(Stop, AFileFromSetUpStopsTheRunAndAnOldOneDoesNot) {
  const TempFolder folder;
  const auto output = folder / "runs";
  Program program(long_run(output));
  while (program.workers().empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto path = newest_run(output);
  ASSERT_FALSE(path.empty());
  std::ofstream(path / "stop").flush();
  const Result stopped = program.wait(30);
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  const int steps = static_cast<int>(steps_in_order(path));
  std::ofstream(path / "stop").flush();
  Program again(long_run(output, {.resume = "auto"}));
  EXPECT_TRUE(again.wait_for_record(output, "train", steps + 5, 60));
  again.signal(SIGTERM);
  EXPECT_EQ(again.wait(30).exit_code, 75);
}

TEST(Stop, AFileInTheRunFolderStopsIt) {
  const TempFolder folder;
  const auto output = folder / "runs";
  int steps = 0;
  for (const char* resume : {"", "auto"}) {
    Program program(long_run(output, {.resume = resume}));
    ASSERT_TRUE(program.wait_for_record(output, "train", steps + 3, 60));
    const auto path = newest_run(output);
    std::ofstream(path / "stop").flush();
    const Result result = program.wait(30);
    ASSERT_EQ(result.exit_code, 75) << result.err;
    EXPECT_THAT(result.out, HasSubstr((path / "stop").native()));
    EXPECT_FALSE(std::filesystem::exists(path / "stop"));
    steps = static_cast<int>(steps_in_order(path));
    EXPECT_EQ(records(path, "checkpoint").back().at("step"), steps);
  }
}

TEST(Stop, CheckpointsMayBeDueByTheClock) {
  const TempFolder folder;
  const auto output = folder / "runs";
  Program program(long_run(
      output, {.set = {"checkpoint.every=0.3s", "checkpoint.keep_last=90"}}));
  ASSERT_TRUE(program.wait_for_record(output, "checkpoint", 3, 60));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait(30).exit_code, 75);
  const auto path = newest_run(output);
  steps_in_order(path);
  std::set<int> steps;
  for (const Json& record : records(path, "checkpoint")) {
    EXPECT_TRUE(steps.insert(record.at("step").get<int>()).second);
    EXPECT_TRUE(std::filesystem::exists(
        checkpoint(path, record.at("step")) / "manifest.json"));
  }
  EXPECT_GE(steps.size(), 4u);
}

TEST(Stop, ACheckpointOfEachPeriodStays) {
  const TempFolder folder;
  const auto path = train(
      folder / "runs",
      {.set = {
           "run.max_steps=13",
           "schedule.warmup=0st",
           "checkpoint.every=2st",
           "checkpoint.keep_last=1",
           "checkpoint.keep_best=0",
           "checkpoint.keep_every=5st"}});
  for (int step = 1; step <= 13; ++step) {
    EXPECT_EQ(
        std::filesystem::exists(checkpoint(path, step)),
        step == 6 || step == 10 || step == 13)
        << step;
  }
}

// Left, saved, and made up for by the run that continues.
TEST(Stop, AnEvaluationIsLeftAndMadeUpFor) {
  const TempFolder folder;
  const auto arguments = [](const std::string& samples) {
    return Options{
        .devices = "cpu:2",
        .set = {
            "run.name=r",
            "run.max_steps=4",
            "eval.every=4st",
            "checkpoint.every=4st",
            "schedule.warmup=0st",
            "data.eval.count=" + samples}};
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
  const auto again = arguments("101").with({.resume = path});
  train(folder / "runs", again);
  ASSERT_EQ(records(path, "eval").size(), 1u);
  EXPECT_EQ(records(path, "eval")[0].at("step"), 4);
  EXPECT_EQ(records(path, "eval")[0].at("count"), 101);
  // Now it has everything.
  EXPECT_THAT(
      run(tiny_run(folder / "runs", again)).err, HasSubstr("nothing to do"));
}

TEST(Stop, AResumedRunEqualsAnUninterruptedOne) {
  const TempFolder folder;
  const Options common{
      .devices = "cpu:2",
      .set = {
          "run.max_steps=30",
          "run.name=r",
          "checkpoint.every=7st",
          "checkpoint.keep_last=20",
          "model.drop_path=0.2"}};
  const auto whole = train(folder / "whole", common);
  const auto part = resume_copy(whole, folder / "part", common, 14);
  expect_same_training(whole, part);
  expect_same_checkpoint(whole, part, 30);
}

TEST(Stop, AFinishedRunHasNothingToDo) {
  const TempFolder folder;
  const auto path = train(folder / "runs", kThreeSteps);
  const auto before = slurp(path / "metrics.jsonl");
  const Result result =
      run(tiny_run(folder / "runs", kThreeSteps.with({.resume = "auto"})));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("nothing to do"));
  EXPECT_EQ(newest_run(folder / "runs"), path);
  EXPECT_EQ(slurp(path / "metrics.jsonl"), before);
}

// Samples or weights would differ.
TEST(Stop, AnotherRecipeCannotContinue) {
  const TempFolder folder;
  const auto path = train(folder / "runs", kThreeSteps);
  const auto before = slurp(path / "metrics.jsonl");
  const auto refusal = [&](const std::string& set) {
    const auto again =
        kThreeSteps.with({.set = {"run.max_steps=6", set}, .resume = path});
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

TEST(Resume, SaysHowToStartARunWithoutCheckpointAgain) {
  const TempFolder folder;
  Program program(long_run(folder / "runs"));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 1, 60));
  const auto path = newest_run(folder / "runs");
  const Result alive = run(Words{"-resume", path});
  EXPECT_EQ(alive.exit_code, 2) << alive.err;
  EXPECT_THAT(alive.err, HasSubstr("run.lock"));
  const auto workers = program.workers();
  program.signal(SIGKILL);
  program.wait();
  ASSERT_TRUE(all_gone(workers, 20));
  const Result killed = run(Words{"-resume", path});
  EXPECT_EQ(killed.exit_code, 4) << killed.err;
  EXPECT_THAT(
      killed.err,
      HasSubstr("-cfg " + (path / "config.yaml").native() + " -resume auto"));
}

// A sweep must not find the runs of its other recipes, nor end in silence.
TEST(Resume, AutoRefusesAnotherRecipe) {
  const TempFolder folder;
  const Options arguments = kThreeSteps.with({.resume = "auto"});
  const Result first = run(tiny_run(folder / "runs", arguments));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("no run 'r' with a checkpoint"));
  const auto path = newest_run(folder / "runs");
  const auto before = slurp(path / "metrics.jsonl");
  for (const auto& [key, difference] :
       {std::pair("optim.lr=0.1", "\n  optim.lr: 0.001 -> 0.1\n"),
        std::pair("run.seed=5", "\n  run.seed: 0 -> 5\n"),
        std::pair("model.depth=3", "\n  model.depth: 2 -> 3\n")}) {
    const auto other = arguments.with({.set = {key}});
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
  const Result more = run(
      tiny_run(folder / "runs", arguments.with({.set = {"run.max_steps=5"}})));
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("\n  run.max_steps: 3 -> 5\n"));
  EXPECT_EQ(newest_run(folder / "runs"), path);
  EXPECT_EQ(records(path, "train").back().at("step"), 5);
  // Asked for by name, a finished run says what would have no effect.
  const auto named = arguments.with({.set = {"optim.lr=0.1"}, .resume = path});
  const Result refused = run(tiny_run(folder / "runs", named));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(
      refused.err,
      AllOf(
          HasSubstr("has 5 steps, and this recipe asks for 3"),
          HasSubstr("optim.lr: 0.001 -> 0.1")));
}

// Changes are printed and recorded; replaced files are kept.
TEST(Resume, FromAnOlderCheckpointKeepsTheBranchThatItLeaves) {
  const TempFolder folder;
  const auto path = train(folder / "runs", kThreeCheckpoints);
  const auto recipe = slurp(path / "config.yaml");
  const auto metrics = slurp(path / "metrics.jsonl");
  const auto weights = slurp(checkpoint(path, 12) / "model.safetensors");
  const auto again = kThreeCheckpoints.with(
      {.set = {"optim.lr=0.01"}, .resume = checkpoint(path, 4)});
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
  EXPECT_NE(slurp(checkpoint(path, 12) / "model.safetensors"), weights);
  const auto kept = path / "replaced-1";
  EXPECT_EQ(slurp(kept / "config.yaml"), recipe);
  EXPECT_EQ(slurp(kept / "metrics.jsonl"), metrics);
  EXPECT_EQ(slurp(checkpoint(kept, 12) / "model.safetensors"), weights);
  // It can be resumed.
  const auto further =
      kThreeCheckpoints.with({.set = {"run.max_steps=14"}, .resume = kept});
  const Result old = run(tiny_run(folder / "runs", further));
  ASSERT_EQ(old.exit_code, 0) << old.err;
  EXPECT_THAT(old.out, HasSubstr("continuing after step 12"));
  EXPECT_EQ(records(kept, "train").size(), 14u);
}

// A damaged checkpoint is found before anything is moved or cut off.
TEST(Resume, WhatCannotBeRestoredLeavesTheFolderAsItWas) {
  const TempFolder folder;
  const auto path = train(folder / "runs", kThreeCheckpoints);
  const auto metrics = slurp(path / "metrics.jsonl");
  const auto damaged = checkpoint(path, 4);
  std::filesystem::resize_file(damaged / "model.safetensors", 100);
  const auto again =
      kThreeCheckpoints.with({.set = {"optim.lr=0.01"}, .resume = damaged});
  EXPECT_EQ(run(tiny_run(folder / "runs", again)).exit_code, 4);
  EXPECT_EQ(slurp(path / "metrics.jsonl"), metrics);
  EXPECT_FALSE(std::filesystem::exists(path / "replaced-1"));
}

// Rows of a run's metrics.jsonl without times, by step: checkpoints are
// recorded when they are complete.
std::vector<Json> rows_of(const std::filesystem::path& run) {
  std::vector<Json> rows = records(run);
  std::erase_if(
      rows, [](const Json& row) { return row.at("kind") == "start"; });
  for (Json& row : rows) {
    for (const char* time :
         {"step_seconds",
          "rank_step_seconds",
          "rank_data_seconds",
          "rank_comm_seconds",
          "images_per_second",
          "data_wait",
          "comm_seconds",
          "comm_busy_seconds",
          "comm_wait",
          "start_begin_seconds",
          "start_end_seconds",
          "seconds",
          "blocked_seconds",
          "memory_bytes",
          "path"}) {
      row.erase(time);
    }
  }
  std::ranges::stable_sort(
      rows, {}, [](const Json& row) { return row.at("step").get<int>(); });
  return rows;
}

// Rows of a run's summary.csv without times, which are its last columns.
std::vector<std::string> summary_of(const std::filesystem::path& run) {
  std::vector<std::string> rows;
  std::ifstream file(run / "summary.csv");
  for (std::string row; std::getline(file, row);) {
    for (int column = 0; column < 3; ++column) {
      row.resize(row.rfind(','));
    }
    rows.push_back(row);
  }
  return rows;
}

// A row with a checkpoint inside covers all its steps, also with uneven shares
// and at the ends of epochs.
TEST(Resume, InsideALogIntervalKeepsItsRow) {
  for (const int workers : {1, 3}) {
    const TempFolder folder;
    const Options common{
        .devices = "cpu:" + std::to_string(workers),
        .set = {
            "run.epochs=4",
            "run.max_steps=30",
            "run.name=r",
            "log.every=8",
            "data.train.count=203",
            "data.batch_size=7",
            "checkpoint.every=5st",
            "checkpoint.keep_last=20"}};
    const auto whole = train(folder / "whole", common);
    for (const int step : {5, 20}) {
      const auto copy =
          resume_copy(whole, folder / std::to_string(step), common, step);
      EXPECT_EQ(rows_of(copy), rows_of(whole)) << workers << " " << step;
      EXPECT_EQ(summary_of(copy), summary_of(whole)) << workers << " " << step;
    }
  }
}

// Killed between its last checkpoint and the record of it.
TEST(Resume, CompletesTheRecordsOfAKilledProcess) {
  const TempFolder folder;
  const auto path = train(folder / "runs", kThreeCheckpoints);
  const auto whole = rows_of(path);
  const std::string lines = slurp(path / "metrics.jsonl");
  const auto resume = [&] {
    std::ofstream(path / "report.html.tmp-7") << "x";
    std::filesystem::create_directory(
        path / "checkpoints" / ".step-000000004.tmp-7");
    const Result result = run(
        tiny_run(folder / "runs", kThreeCheckpoints.with({.resume = "auto"})));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_FALSE(std::filesystem::exists(path / "report.html.tmp-7"));
    EXPECT_FALSE(std::filesystem::exists(
        path / "checkpoints" / ".step-000000004.tmp-7"));
    return result.err;
  };
  const auto record = lines.rfind("\"kind\":\"checkpoint\"");
  std::ofstream(path / "metrics.jsonl")
      << lines.substr(0, lines.rfind('\n', record) + 1);
  std::filesystem::remove(path / "checkpoints" / "latest");
  std::ofstream(path / "checkpoints" / "latest") << "step-000000008\n";
  EXPECT_THAT(resume(), Not(HasSubstr("nothing to do")));
  EXPECT_EQ(rows_of(path), whole);
  EXPECT_EQ(
      std::filesystem::read_symlink(path / "checkpoints" / "latest"),
      "step-000000012");
  EXPECT_THAT(resume(), HasSubstr("nothing to do"));
  EXPECT_EQ(rows_of(path), whole);
}

// Both would write metrics and checkpoints of one run.
TEST(Resume, ARunFolderHasOneWriter) {
  const TempFolder folder;
  const auto output = folder / "runs";
  const Options first{.set = {"checkpoint.every=1st"}};
  Program program(long_run(output, first));
  ASSERT_TRUE(program.wait_for_record(output, "checkpoint", 2, 60));
  const auto path = newest_run(output);
  const Json lock = Json::parse(slurp(path / "run.lock"));
  EXPECT_EQ(lock.at("pid"), program.pid());
  const auto second = first.with({.resume = path});
  const Result refused = run(long_run(output, second));
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(
      refused.err,
      AllOf(
          HasSubstr(path.filename().native() + " is in use"),
          HasSubstr("pid " + std::to_string(program.pid()) + " on host ")));
  // Looking costs nothing.
  const auto looking = second.with({.more = {"-dry_run"}});
  EXPECT_EQ(run(long_run(output, looking)).exit_code, 0);
  // A holder that was killed is no obstacle on another host of the same job,
  // and a stopped one leaves nothing.
  const pid_t killed = program.pid();
  program.signal(SIGKILL);
  program.wait(5);
  Json left = Json::parse(slurp(path / "run.lock"));
  left["host"] = "elsewhere";
  left["boot"] = "12345678-0000-0000-0000-000000000000";
  left["jobs"] = {{"POD_NAME", "trainer"}};
  std::ofstream(path / "run.lock") << left;
  Program third(vitrain(long_run(output, second), {{"POD_NAME", "trainer"}}));
  ASSERT_TRUE(third.wait_for_record(output, "start", 2, 60));
  const auto saved = static_cast<int>(records(path, "checkpoint").size());
  ASSERT_TRUE(third.wait_for_record(output, "checkpoint", saved + 1, 60));
  EXPECT_EQ(Json::parse(slurp(path / "run.lock")).at("pid"), third.pid());
  third.signal(SIGTERM);
  const Result stopped = third.wait(30);
  EXPECT_EQ(stopped.exit_code, 75);
  EXPECT_THAT(
      stopped.err,
      AllOf(
          HasSubstr("taken over from pid " + std::to_string(killed)),
          Not(HasSubstr("waiting for a sign of life"))));
  EXPECT_FALSE(std::filesystem::exists(path / "run.lock"));
}

// A writer that was stopped lost its run meanwhile: it writes no more.
TEST(Resume, AWriterThatLostItsRunEnds) {
  const TempFolder folder;
  const auto output = folder / "runs";
  const Options often{.set = {"checkpoint.every=1st", "log.every=1"}};
  Program first(long_run(output, often));
  ASSERT_TRUE(first.wait_for_record(output, "checkpoint", 2, 60));
  const auto path = newest_run(output);
  const pid_t first_pid = first.pid();
  std::vector<pid_t> processes = first.workers();
  processes.push_back(first_pid);
  const auto signal_all = [&](int number) {
    for (const pid_t pid : processes) {
      ::kill(pid, number);
    }
  };
  // Neither for a process that is alive ...
  const auto again = often.with({.resume = path});
  EXPECT_EQ(run(long_run(output, again)).exit_code, 2);
  // ... nor for a stopped one, except by option.
  signal_all(SIGSTOP);
  Program second(long_run(output, again.with({.more = {"-take_over"}})));
  ASSERT_TRUE(second.wait_for_record(output, "start", 2, 60));
  const auto saved = static_cast<int>(records(path, "checkpoint").size());
  ASSERT_TRUE(second.wait_for_record(output, "checkpoint", saved + 2, 60));
  signal_all(SIGCONT);
  const Result lost = first.wait(30);
  EXPECT_EQ(lost.exit_code, 8) << lost.err;
  EXPECT_THAT(
      lost.err,
      AllOf(
          HasSubstr("run.lock"),
          HasSubstr("pid " + std::to_string(second.pid()) + " on host "),
          HasSubstr("writes nothing more")));
  EXPECT_FALSE(std::filesystem::exists(path / "failure.json"));
  EXPECT_EQ(Json::parse(slurp(path / "run.lock")).at("pid"), second.pid());
  const auto later = static_cast<int>(records(path, "checkpoint").size());
  ASSERT_TRUE(second.wait_for_record(output, "checkpoint", later + 2, 60));
  second.signal(SIGTERM);
  const Result stopped = second.wait(30);
  EXPECT_EQ(stopped.exit_code, 75);
  EXPECT_THAT(
      stopped.err,
      AllOf(
          HasSubstr("taken over from pid " + std::to_string(first_pid)),
          HasSubstr("which was alive"),
          Not(HasSubstr("waiting for a sign of life"))));
  EXPECT_GT(steps_in_order(path), 0);
  EXPECT_FALSE(std::filesystem::exists(path / "run.lock"));
}

// In a container of its own each has other pids, and its own is 1.
TEST(Resume, GoesOnFromAContainerThatHasEnded) {
  const Words container{
      "unshare",
      "--user",
      "--map-root-user",
      "--pid",
      "--fork",
      "--kill-child",
      "--mount-proc"};
  const auto in_container = [&](const Words& words) {
    return vitrain(words).after(container);
  };
  if (run(Command{{"true"}, {}}.after(container)).exit_code != 0) {
    GTEST_SKIP() << "no pid namespaces here";
  }
  const TempFolder folder;
  const auto output = folder / "runs";
  const Options often{.set = {"checkpoint.every=1st"}};
  Program first(in_container(long_run(output, often)));
  ASSERT_TRUE(first.wait_for_record(output, "checkpoint", 2, 60));
  const auto path = newest_run(output);
  EXPECT_NE(Json::parse(slurp(path / "run.lock")).at("pid"), first.pid());
  const auto again = often.with({.resume = "auto"});
  const Result refused = run(in_container(long_run(output, again)));
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("is in use"));
  first.signal(SIGKILL);
  first.wait(10);
  Program next(in_container(long_run(output, again)));
  EXPECT_TRUE(next.wait_for_record(output, "start", 2, 30));
}

TEST(Resume, WhatIsNoRunIsSaid) {
  const TempFolder folder;
  folder.write("photos/cat/1.jpg", "x");
  const std::string photos = folder / "photos";
  const Result alone = run({"-resume", photos});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("-data_path " + photos));
  const Result with_recipe = run(tiny_run(folder / "runs", {.resume = photos}));
  EXPECT_EQ(with_recipe.exit_code, 4);
  EXPECT_THAT(with_recipe.err, HasSubstr("-data_path " + photos));
  EXPECT_EQ(run(tiny_run(folder / "r", {.more = {"-take_over"}})).exit_code, 2);
}

// The command that a finished run names trains it longer.
TEST(Resume, AFinishedRunSaysHowToTrainItLonger) {
  const TempFolder folder;
  const auto path = train(folder / "runs", kThreeSteps);
  const Result done = run({"-resume", path});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::string command =
      "-resume " + path.native() + " -set run.max_steps=6";
  EXPECT_THAT(done.err, HasSubstr("vitrain " + command));
  EXPECT_EQ(run({"-resume", path, "-set", "run.max_steps=6"}).exit_code, 0);
  EXPECT_EQ(steps_in_order(path), 6);
}

// An older version let passwords into config.yaml.
TEST(Resume, APasswordInARecordedUrlGoesNoFurther) {
  const TempFolder folder;
  const Options options =
      kThreeSteps.with({.set = {"log.mlflow=http://127.0.0.1:1"}});
  const auto path = train(folder / "runs", options);
  std::string yaml = slurp(path / "config.yaml");
  yaml.replace(yaml.find("127.0.0.1:1"), 0, "me:s3cret@");
  std::ofstream(path / "config.yaml") << yaml;
  const Result result = run({"-resume", path, "-set", "run.max_steps=6"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("MLFLOW_TRACKING_PASSWORD"));
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("s3cret")));
  for (const auto& file : std::filesystem::recursive_directory_iterator(path)) {
    if (file.is_regular_file()) {
      EXPECT_THAT(slurp(file.path()), Not(HasSubstr("s3cret"))) << file.path();
    }
  }
  const Result refused = run(tiny_run(
      folder / "none", {.set = {"log.mlflow=http://me:s3cret@127.0.0.1:1"}}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("MLFLOW_TRACKING_TOKEN"));
  EXPECT_THAT(refused.out + refused.err, Not(HasSubstr("s3cret")));
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST(Resume, EveryCheckpointThatIsPassedOverIsNamed) {
  const TempFolder folder;
  const auto path = train(folder / "runs", kThreeCheckpoints);
  const auto checkpoints = path / "checkpoints";
  std::filesystem::resize_file(checkpoint(path, 12) / "model.safetensors", 100);
  std::filesystem::remove(checkpoint(path, 8) / "manifest.json");
  std::filesystem::create_directory(checkpoints / ".step-000000012.tmp-1");
  std::filesystem::remove(checkpoints / "latest");
  std::filesystem::create_directory(checkpoints / "latest");
  const auto again = kThreeCheckpoints.with({.resume = "auto"});
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
  EXPECT_EQ(
      std::filesystem::read_symlink(checkpoints / "latest"), "step-000000012");
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
  Program program(long_run(output, {.resume = "auto"}));
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
  steps_in_order(path);
}

// run.name in config.yaml is `auto`.
TEST(Resume, TheConfigOfARunContinuesThatRun) {
  const TempFolder folder;
  const auto output = folder / "runs";
  const auto path = train(output, {.set = {"run.max_steps=12"}});
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
  const auto workers = training_workers(program, folder / "runs", 2);
  const auto start = std::chrono::steady_clock::now();
  ::kill(workers.at(1), GetParam());
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

// The other workers save and stop without a user's request.
TEST(Death, IsNotToldAsARequest) {
  const TempFolder folder;
  Program program(long_run(folder / "runs"));
  const auto workers = training_workers(program, folder / "runs", 2);
  ::kill(workers.at(1), SIGSTOP);
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
    Program program(long_run(output, {.set = {limit}}));
    const auto workers = training_workers(program, output, 2);
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

// Returns a run of two workers of which one fails (tests/support/faults.cpp).
Command with_fault(
    const std::filesystem::path& folder,
    const std::string& fault) {
  for (int i = 0; i < 40; ++i) {
    const auto label = folder / "images" / (i % 2 == 0 ? "a" : "b");
    std::filesystem::create_directories(label);
    std::ofstream(label / (std::to_string(i) + ".ppm"))
        << "P6\n16 16\n255\n"
        << std::string(768, static_cast<char>(i));
  }
  const std::string images = (folder / "images").native();
  return vitrain(
      long_run(
          folder / "runs",
          {.set =
               {"data.train.kind=folder",
                "data.train.path=" + images,
                "data.eval.kind=folder",
                "data.eval.path=" + images,
                "data.batch_size=4",
                "checkpoint.every=10st",
                "dist.timeouts.step=2",
                "dist.timeouts.checkpoint=2"}}),
      {{"FAULT", fault},
       {"FAULT_PATH", images},
       {"FAULT_MARK", (folder / "mark").native()},
       {"LD_PRELOAD", VITRAIN_BINARY_DIR "/tests/faults.so"}});
}

TEST(Death, OfAHangingWorkerIsNamedWithWhatItDid) {
  struct Case {
    const char* fault;
    const char* part;
  };
  for (const auto& [fault, part] :
       {Case{"1:data:60:hang", "(reading /"},
        Case{"0:exchange:30:hang", "(all-reduce "},
        Case{"0:save:3:hang", "(writing the checkpoint)"}}) {
    const TempFolder folder;
    const Result result = run(with_fault(folder.path(), fault));
    EXPECT_EQ(result.exit_code, 7);
    const std::string rank(1, *fault);
    EXPECT_THAT(result.err, HasSubstr("\nrank " + rank + " (pid ")) << fault;
    EXPECT_THAT(result.err, HasSubstr(part)) << fault;
    EXPECT_THAT(
        slurp(newest_run(folder / "runs") / "log" / ("workerlog." + rank)),
        testing::ContainsRegex("stack of thread [0-9]+ \\(vitrain-load\\)"));
  }
}

TEST(Death, ForLackOfMemoryEndsWithSix) {
  const TempFolder folder;
  const Result result = run(with_fault(folder.path(), "0:exchange:30:memory"));
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_THAT(result.err, HasSubstr("\nrank 0 (pid "));
}

TEST(Death, OfALossThatIsNotFiniteNamesItsRank) {
  const TempFolder folder;
  const Result result = run(with_fault(folder.path(), "1:loss:12:nan"));
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_THAT(result.err, HasSubstr("at step 12 "));
  EXPECT_THAT(result.err, HasSubstr("the loss of rank 1 is not finite"));
}

// Named once, with where it is slow.
TEST(Straggler, IsNamedWithItsSection) {
  for (const auto& [point, section, key] :
       {std::tuple("loss", "forward and backward", "rank_step_seconds"),
        std::tuple("data", "data", "rank_data_seconds")}) {
    const TempFolder folder;
    Command command =
        with_fault(folder.path(), "1:" + std::string(point) + ":1:slow");
    command.words.insert(
        command.words.end(),
        {"-set", "run.max_steps=55", "-set", "dist.timeouts.step=60"});
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::string all = result.out + result.err;
    const std::regex line(
        "rank 1 \\(host [^)]+\\) takes [0-9.]+ times [^\n]*, in " +
        std::string(section) + ",");
    EXPECT_EQ(
        std::distance(
            std::sregex_iterator(all.begin(), all.end(), line),
            std::sregex_iterator()),
        1)
        << all;
    EXPECT_THAT(all, Not(HasSubstr("rank 0 (host")));
    const auto seconds = records(newest_run(folder / "runs"), "train")
                             .at(30)
                             .at(key)
                             .get<std::vector<double>>();
    EXPECT_EQ(seconds.size(), 2u);
  }
}

TEST(Death, OfTheSupervisorTakesTheWorkersAlong) {
  const TempFolder folder;
  Program program(long_run(folder / "runs"));
  const auto workers = training_workers(program, folder / "runs", 2);
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait(5).exit_code, 128 + SIGKILL);
  EXPECT_TRUE(all_gone(workers, 5.0));
}

TEST(Network, NothingListensOutsideLoopback) {
  const TempFolder folder;
  Program program(long_run(folder / "runs"));
  auto processes = training_workers(program, folder / "runs", 2);
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

TEST(Network, LoopbackThatIsDownIsNamedAtOnce) {
  const TempFolder folder;
  if (run(Command{.words = {"unshare", "-n", "true"}, .environment = {}})
          .exit_code != 0) {
    GTEST_SKIP() << "no network namespaces: needs root and `unshare`";
  }
  const Result result =
      run(vitrain(long_run(folder / "runs")).after({"unshare", "-n"}), 10);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("ip link set lo up"));
}

TEST(Network, ASingleWorkerListensNowhere) {
  const TempFolder folder;
  Program program(long_run(folder / "runs", {.devices = "cpu"}));
  auto processes = training_workers(program, folder / "runs", 1);
  processes.push_back(program.pid());
  EXPECT_THAT(listening(processes), testing::IsEmpty());
}

} // namespace
} // namespace vitrain::e2e
