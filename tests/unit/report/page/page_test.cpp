#include "report/page/page.h"

#include <gmock/gmock.h>

#include "report/page/charts.h"
#include "report/page/live_report.h"
#include "report/page/write_report.h"
#include "report/runs/read_evaluation.h"
#include "support.h"

namespace vitrain::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "</script><script>alert(1)</script>\"'><img "
                                 "src=x onerror=alert(2)><!--";

// How often a text occurs.
std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Own scripts: the data, the library, the page's.
void expect_own_scripts_only(const std::string& page) {
  EXPECT_EQ(count_of(page, "<script"), 3u);
  EXPECT_EQ(count_of(page, "</script"), 3u);
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
}

TEST(Page, HasWhatARunIsKnownBy) {
  const TempFolder folder;
  config::Recipe recipe;
  recipe.optim.lr = 0.25;
  const std::string page =
      run_page(open_run(write_run(folder, "a_run", recipe)), page_options());
  EXPECT_THAT(
      page,
      AllOf(
          HasSubstr("<title>a_run</title>"),
          HasSubstr("60.00 %"),
          HasSubstr("epoch 1, step 2"),
          HasSubstr("<th>optim.lr</th><td>0.25</td>"),
          HasSubstr("MIT licence"),
          HasSubstr("Permission is hereby granted")));
  // The page loads nothing from other addresses.
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(page, Not(HasSubstr("sourceMappingURL")));
  expect_own_scripts_only(page);
}

TEST(Page, HostileTextsStayTexts) {
  const TempFolder folder;
  std::string name = kHostile;
  std::ranges::replace(name, '/', '_');
  config::Recipe recipe;
  recipe.data.train.path = kHostile;
  const auto path = write_run(folder, name, recipe, "");
  const std::string csv_name = "\"</script><script>x\"\"'<!--\"";
  folder.write(
      name + "/evaluation/confusion.csv",
      "," + csv_name + ",b\n" + csv_name + ",3,1\nb,0,4\n");
  folder.write(
      name + "/evaluation/per_class.csv",
      "class,count,correct,accuracy\n" + csv_name + ",4,3,75\nb,4,4,100\n");
  folder.write(
      name + "/environment.json",
      Json{{"processor", kHostile}, {kHostile, kHostile}}.dump());
  folder.write(name + "/log/workerlog.0", "error: " + std::string(kHostile));
  const report::Run run = open_run(path);
  expect_own_scripts_only(run_page(run, page_options()));
  const std::vector<report::Run> both{run, run};
  expect_own_scripts_only(comparison_page(both, page_options()));
}

TEST(Page, ShowsTheEvaluationAndItsPictures) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  folder.write("a/evaluation/confusion.csv", ",cat,dog\ncat,8,2\ndog,0,10\n");
  folder.write(
      "a/evaluation/per_class.csv",
      "class,count,correct\ncat,10,8\ndog,10,10\n");
  folder.write("a/evaluation/mistakes.png", "\x89PNG\r\n\x1a\n...");
  folder.write("a/samples.png", "no picture");
  const std::string page = run_page(open_run(path), page_options());
  EXPECT_THAT(
      page,
      AllOf(
          HasSubstr("<td class=\"wrong\" style=\"--share:0.200\">2</td>"),
          HasSubstr("<tr><td>cat</td><td>dog</td><td>2</td></tr>"),
          HasSubstr("80.00 %"),
          HasSubstr("data:image/png;base64,iVBORw0K"),
          Not(HasSubstr("Augmented"))));
}

TEST(Page, SaysWhyAPictureIsNotShown) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  constexpr std::uintmax_t kTooLarge = std::uintmax_t{33} << 20;
  std::filesystem::resize_file(folder.write("a/samples.png"), kTooLarge);
  EXPECT_THAT(
      run_page(open_run(path), page_options()),
      HasSubstr("33.0 MiB is more than the limit of 32.0 MiB"));
}

TEST(Page, ATableThatIsNoneIsSaid) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  folder.write("a/evaluation/confusion.csv", ",cat,dog\ncat,8\n");
  EXPECT_THAT(
      run_page(open_run(path), page_options()), HasSubstr("has 2 fields"));
}

TEST(Page, ComparesRuns) {
  const TempFolder folder;
  config::Recipe other;
  other.optim.lr = 0.25;
  const std::vector<report::Run> runs{
      open_run(write_run(folder, "a")),
      open_run(write_run(folder, "b", other))};
  EXPECT_THAT(
      comparison_page(runs, page_options()),
      AllOf(
          HasSubstr("<h1>2 runs</h1>"),
          HasSubstr("data-run=\"1\"></span>b"),
          HasSubstr("<th>optim.lr</th>"),
          HasSubstr("<td>0.25</td>"),
          // The results also show the settings that differ.
          HasSubstr("<th class=\"setting\">optim.lr</th>"),
          HasSubstr("<td class=\"setting\">0.25</td>")));
}

TEST(Page, MarksTheWinner) {
  const TempFolder folder;
  write_run(folder, "a");
  write_run(folder, "b");
  folder.write(
      "b/metrics.jsonl",
      start_line(2, 4) + eval_line(2, 1, 99) + done_line(4, 0));
  const auto rows_of = [&](const std::vector<report::Run>& runs) {
    const std::string page = comparison_page(runs, page_options());
    return std::pair(
        count_of(page, "<tr class=\"winner\">"),
        page.find("<tr class=\"winner\"><th><span class=\"mark\" "
                  "data-run=\"1\">") != page.npos);
  };
  const report::Run a = open_run(folder / "a");
  const report::Run b = open_run(folder / "b");
  EXPECT_EQ(rows_of({a, b}), std::pair(1UL, true));
  EXPECT_EQ(rows_of({a, a}).first, 2u); // both
  write_run(folder, "c");
  folder.write("c/metrics.jsonl", start_line(2, 4));
  const report::Run c = open_run(folder / "c");
  EXPECT_EQ(rows_of({a, c}).first, 0u); // there is nothing to compare
  config::Recipe by_loss;
  by_loss.checkpoint.metric = Metric::kLoss;
  const report::Run d = open_run(write_run(folder, "d", by_loss));
  EXPECT_EQ(rows_of({a, d}).first, 0u); // by different metrics
}

// "50 of 100" stood below the loss.
TEST(Page, HitsStandBelowTheAccuracy) {
  const TempFolder folder;
  const std::string page =
      run_page(open_run(write_run(folder, "a")), page_options());
  EXPECT_THAT(
      page,
      AllOf(
          HasSubstr("<span>last top1</span><b>55.00 %</b><small>50 of 100 "
                    "\u00b7 epoch 2, step 4</small>"),
          HasSubstr("<span>last loss</span><b>1.2500</b><small></small>")));
}

TEST(Page, MemoryIsInGibibytes) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  folder.write("a/environment.json", Json{{"memory", "24684092 kB"}}.dump());
  EXPECT_THAT(
      run_page(open_run(path), page_options()),
      AllOf(HasSubstr("<td>23.5 GiB</td>"), Not(HasSubstr("kB"))));
}

TEST(Charts, LeaveOutWhatNoRunHas) {
  const TempFolder folder;
  const report::Run run = open_run(write_run(folder, "a"));
  const Json data = chart_data({&run, 1});
  std::vector<std::string> titles;
  for (const Json& chart : data.at("charts")) {
    titles.push_back(chart.at("title"));
  }
  // One worker waits for no exchange.
  EXPECT_THAT(
      titles,
      ElementsAre(
          "Loss",
          "Accuracy",
          "Learning rate",
          "Gradient norm",
          "Images per second",
          "Waiting for data"));
  EXPECT_EQ(
      data.at("runs")[0].at("curves").at("eval.loss").dump(),
      "[[2,4],[1.75,1.25]]");
}

TEST(Confusion, MostMistaken) {
  const TempFolder folder;
  const NamedConfusion table = read_confusion(
      folder.write("confusion.csv", ",a,b,c\na,5,1,3\nb,0,9,3\nc,7,0,1\n"));
  EXPECT_EQ(table.classes, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(table.counts.count(), 29);
  const auto pairs = table.counts.most_confused(3);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].label, 2);
  EXPECT_EQ(pairs[0].prediction, 0);
  EXPECT_EQ(pairs[1].label, 0);
  EXPECT_EQ(pairs[2].label, 1);
  EXPECT_EQ(pairs[2].count, 3);
}

TEST(LiveReport, WritesAsTheRunGoesOn) {
  const TempFolder folder;
  const job::RunDirectory run{write_run(folder, "a", {}, "")};
  { LiveReport report(run); }
  EXPECT_FALSE(
      std::filesystem::exists(report_file(run))); // no page was requested
  LiveReport report(run);
  report.update();
  for (int i = 0; i < 2000 && !std::filesystem::exists(report_file(run)); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(slurp(report_file(run)), HasSubstr("badge running"));
  std::ofstream(run.metrics(), std::ios::app) << done_line(4, 0);
  report.finish();
  EXPECT_THAT(slurp(report_file(run)), HasSubstr("badge done"));
  EXPECT_EQ(report.cost().pages, 2);
  EXPECT_EQ(report.problem(), "");
}

// Another process may have taken over the run.
TEST(LiveReport, WritesNothingWithoutConsent) {
  const TempFolder folder;
  const job::RunDirectory run{write_run(folder, "a", {}, "")};
  int asked = 0;
  LiveReport report(run, [&] {
    ++asked;
    return false;
  });
  report.finish();
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(std::filesystem::exists(report_file(run)));
  EXPECT_EQ(report.cost().pages, 0);
}

TEST(LiveReport, WhatCannotBeWrittenIsAProblem) {
  const TempFolder folder;
  LiveReport report(job::RunDirectory{folder / "none"});
  report.finish();
  EXPECT_THAT(report.problem(), HasSubstr("report.html"));
}

TEST(CloseReport, SaysWhatBecameOfARun) {
  const TempFolder folder;
  const job::RunDirectory run{write_run(folder, "a", {}, "")};
  close_report(run);
  EXPECT_FALSE(std::filesystem::exists(report_file(run)));
  folder.write("a/report.html", "old");
  close_report(run);
  EXPECT_THAT(slurp(report_file(run)), HasSubstr("badge failed"));
}

} // namespace
} // namespace vitrain::report
