#include "logging/metrics_log.h"

#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/text.h"
#include "support.h"

namespace vitrain::logging {
namespace {

using ::testing::HasSubstr;

Json train(std::int64_t step, double loss, double top1, int count) {
  return {
      {"kind", "train"},
      {"step", step},
      {"epoch", 1},
      {"loss", loss},
      {"top1", top1},
      {"count", count},
      {"lr", 1e-3 * static_cast<double>(step)},
      {"images_per_second", 100.0 * count}};
}

Json evaluation(std::int64_t step, double top1) {
  return {
      {"kind", "eval"},
      {"step", step},
      {"epoch", 1},
      {"weights", "raw"},
      {"loss", 0.5},
      {"top1", top1},
      {"top5", 99.0},
      {"correct1", 7},
      {"count", 10}};
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines = split(slurp(path), '\n');
  lines.pop_back();
  return lines;
}

// Bytes of all event files of a folder, oldest first.
std::string events_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().string().find("tfevents") != std::string::npos) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::string bytes;
  for (const auto& path : paths) {
    bytes += slurp(path);
  }
  return bytes;
}

// Regression: a row covered only what came after the resume.
TEST(MetricsLog, ARowThatSpansAResumeCoversAllItsSteps) {
  const TempFolder folder;
  const auto row_with = [&](const char* name, std::int64_t resumed) {
    const auto path = folder / name;
    std::filesystem::create_directory(path);
    auto log = std::make_unique<MetricsLog>(path, config::LogConfig{});
    log->write(train(10, 3.0, 5.0, 30));
    log->write(evaluation(10, 7.0));
    for (const std::int64_t step : {20, 30, 40}) {
      log->write(train(step, 60.0 / double(step), double(step), 30));
      if (step == resumed) {
        log->write(train(step + 1, 9.0, 9.0, 9)); // lost by the resume
        log.reset();
        log = std::make_unique<MetricsLog>(path, config::LogConfig{}, resumed);
        EXPECT_TRUE(log->lacks_checkpoint());
        log->write({{"kind", "checkpoint"}, {"step", resumed}});
      }
    }
    log->write(evaluation(40, 70.0));
    const auto row = lines_of(path / "summary.csv").at(2);
    return row.substr(0, row.rfind(',')); // without the time
  };
  const std::string whole = row_with("whole", 0);
  EXPECT_THAT(whole, HasSubstr("1,40,2.16"));
  EXPECT_EQ(row_with("a", 20), whole);
  EXPECT_EQ(row_with("b", 30), whole);
  EXPECT_EQ(row_with("c", 40), whole);
  EXPECT_FALSE(
      MetricsLog(folder / "b", config::LogConfig{}, 30).lacks_checkpoint());
}

TEST(MetricsLog, FansOutEachRecord) {
  const TempFolder folder;
  MetricsLog log(folder.path(), config::LogConfig{});
  log.text("config", "seed: 0");
  log.write({{"kind", "start"}, {"step", 0}, {"world", 2}});
  log.write(train(20, 2.0, 10.0, 30));
  log.write(train(40, 1.0, 50.0, 10));
  log.write(evaluation(40, 70.0));
  log.write({{"kind", "checkpoint"}, {"step", 40}, {"seconds", 1.5}});
  log.write({{"kind", "done"}, {"exit", 0}});
  EXPECT_EQ(log.dropped(), 0);
  EXPECT_EQ(log.problem(), "");

  EXPECT_EQ(lines_of(folder / "metrics.jsonl").size(), 6u);
  const auto rows = lines_of(folder / "summary.csv");
  ASSERT_EQ(rows.size(), 2u);
  const auto cells = split(rows[1], ',');
  // Means over 30 and 10 samples: (2 * 30 + 1 * 10) / 40 and so on; 30 samples
  // took 0.01 s and 10 as long.
  EXPECT_EQ(
      std::vector<std::string>(cells.begin(), cells.end() - 3),
      (std::vector<std::string>{
          "1", "40", "1.75", "20", "0.5", "70", "99", "0.04"}));
  double rate = 0;
  ASSERT_TRUE(parse_double(cells[8], rate));
  EXPECT_NEAR(rate, 2000.0, 1e-9);

  const std::string events = events_of(folder.path());
  for (const char* tag :
       {"config",
        "train/loss",
        "train/lr",
        "train/epoch",
        "eval/top1",
        "eval/top5"}) {
    EXPECT_THAT(events, HasSubstr(tag));
  }
  for (const char* no_tag :
       {"count", "correct1", "seconds", "world", "/step"}) {
    EXPECT_EQ(events.find(no_tag), std::string::npos) << no_tag;
  }
}

TEST(MetricsLog, EachRowCoversTheTrainingSinceTheOneBefore) {
  const TempFolder folder;
  MetricsLog log(
      folder.path(),
      config::LogConfig{},
      std::nullopt,
      SummaryColumns{.averages = true});
  log.write(train(10, 4.0, 1.0, 8));
  log.write(evaluation(10, 70.0)); // the average's record is missing
  log.write(train(20, 2.0, 3.0, 8));
  Json averaged = evaluation(20, 72.0);
  averaged["weights"] = "ema";
  log.write(averaged);
  log.write(evaluation(20, 71.0));
  const auto rows = lines_of(folder / "summary.csv");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].rfind("1,10,4,1,0.5,70,99,,,,0.01,", 0), 0u) << rows[1];
  EXPECT_EQ(rows[2].rfind("1,20,2,3,0.5,71,99,0.5,72,99,0.02,", 0), 0u)
      << rows[2];
  EXPECT_THAT(events_of(folder.path()), HasSubstr("eval_ema/top1"));
}

TEST(MetricsLog, AnEvaluationAloneLeavesTheTrainingEmpty) {
  const TempFolder folder;
  MetricsLog log(folder.path(), config::LogConfig{});
  log.write(evaluation(0, 70.0));
  const auto rows = lines_of(folder / "summary.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].rfind("1,0,,,0.5,70,99,,,", 0), 0u) << rows[1];
}

TEST(MetricsLog, WritesOnlyWhatIsAskedFor) {
  for (int choice = 0; choice < 8; ++choice) {
    const TempFolder folder;
    const config::LogConfig options{
        .tensorboard = (choice & 1) != 0,
        .jsonl = (choice & 2) != 0,
        .csv = (choice & 4) != 0};
    MetricsLog log(folder.path(), options, /*resumed_step=*/3);
    log.text("config", "x");
    log.write(evaluation(4, 1.0));
    using std::filesystem::exists;
    EXPECT_EQ(!events_of(folder.path()).empty(), options.tensorboard);
    EXPECT_EQ(exists(folder / "metrics.jsonl"), options.jsonl);
    EXPECT_EQ(exists(folder / "summary.csv"), options.csv);
  }
}

TEST(MetricsLog, AResumedRunRepeatsAndLosesNothing) {
  const TempFolder folder;
  {
    MetricsLog log(folder.path(), config::LogConfig{});
    for (int step = 10; step <= 50; step += 10) {
      log.write(train(step, 1.0, 1.0, 8));
      log.write(evaluation(step, 1.0));
    }
  }
  std::ofstream(folder / "metrics.jsonl", std::ios::app) << "{\"kind\":\"tr";
  std::ofstream(folder / "summary.csv", std::ios::app) << "1,5";
  {
    MetricsLog log(folder.path(), config::LogConfig{}, /*resumed_step=*/30);
    for (int step = 40; step <= 60; step += 10) {
      log.write(train(step, 2.0, 1.0, 8));
      log.write(evaluation(step, 1.0));
    }
    EXPECT_EQ(log.problem(), "");
  }
  std::vector<std::int64_t> steps;
  for (const std::string& line : lines_of(folder / "metrics.jsonl")) {
    steps.push_back(Json::parse(line)["step"].get<std::int64_t>());
  }
  EXPECT_EQ(
      steps,
      (std::vector<std::int64_t>{
          10, 10, 20, 20, 30, 30, 40, 40, 50, 50, 60, 60}));
  const auto rows = lines_of(folder / "summary.csv");
  ASSERT_EQ(rows.size(), 7u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].rfind(fmt::format("1,{}0,", i), 0), 0u) << rows[i];
  }
}

TEST(MetricsLog, AMissingFolderIsReportedNotThrown) {
  const TempFolder folder;
  MetricsLog log(folder / "missing", config::LogConfig{});
  log.write(evaluation(1, 1.0));
  EXPECT_GT(log.dropped(), 0);
  EXPECT_THAT(
      log.problem(),
      HasSubstr("metrics.jsonl: 1 record dropped: No such file or directory"));
  EXPECT_THAT(log.problem(), HasSubstr("summary.csv: 1 record dropped"));
}

// A problem with one file does not affect the other files.
TEST(MetricsLog, AFolderInTheWayOfOneFileSparesTheOthers) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "metrics.jsonl");
  MetricsLog log(folder.path(), config::LogConfig{}, /*resumed_step=*/1);
  log.write(evaluation(2, 1.0));
  EXPECT_EQ(lines_of(folder / "summary.csv").size(), 2u);
  EXPECT_THAT(events_of(folder.path()), HasSubstr("eval/top1"));
  EXPECT_THAT(log.problem(), HasSubstr("is a directory, not a regular file"));
}

TEST(MetricsLog, RecordsThatAreNoObjectsDoNotThrow) {
  const TempFolder folder;
  MetricsLog log(folder.path(), config::LogConfig{});
  log.write(Json());
  log.write(Json::array({1, 2}));
  log.write({{"kind", 3}});
  log.write({{"kind", "eval"}, {"step", "x"}, {"top1", nullptr}});
  EXPECT_EQ(lines_of(folder / "metrics.jsonl").size(), 4u);
}

TEST(MetricsLog, ThreadsDoNotMixTheirRecords) {
  constexpr int kThreads = 4;
  constexpr int kRecords = 100;
  const TempFolder folder;
  MetricsLog log(folder.path(), config::LogConfig{});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRecords; ++i) {
        log.write(train(i, t, 0.0, 1));
        log.write(evaluation(i, 1.0));
        EXPECT_EQ(log.dropped(), 0);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const auto lines = lines_of(folder / "metrics.jsonl");
  EXPECT_EQ(lines.size(), 2u * kThreads * kRecords);
  for (const std::string& line : lines) {
    EXPECT_TRUE(Json::accept(line)) << line;
  }
  EXPECT_EQ(lines_of(folder / "summary.csv").size(), 1u + kThreads * kRecords);
}

} // namespace
} // namespace vitrain::logging
