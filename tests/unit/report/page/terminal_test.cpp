#include <gmock/gmock.h>

#include "core/text.h"
#include "report/terminal/dot_canvas.h"
#include "report/terminal/listing.h"
#include "report/terminal/plot.h"
#include "report/terminal/show.h"
#include "support.h"

namespace vitrain::report {
namespace {

using logging::TerminalStyle;
using logging::Tint;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr TerminalStyle kFancy{.colour = true, .unicode = true, .columns = 60};

TEST(DotCanvas, BrailleAndAscii) {
  DotCanvas dots(3, 1, {.unicode = true});
  dots.line(0, 3, 5, 3, Tint::kLabel);
  EXPECT_EQ(dots.row(0), "\u28c0\u28c0\u28c0"); // the lowest dots
  dots.mark(2, 0, Tint::kGood);
  EXPECT_EQ(dots.row(0), "\u28c0\u25cf\u28c0");
  DotCanvas ascii(4, 1, {});
  ascii.line(0, 1, 2, 0, Tint::kLabel);
  ascii.line(-5, -5, 99, 99, Tint::kLabel); // clipped
  EXPECT_EQ(ascii.row(0).size(), 3u);
  EXPECT_THAT(ascii.row(0), Not(HasSubstr("\x1b")));
}

TEST(Plot, ALineFromCornerToCorner) {
  const Curve curve{.steps = {0, 10}, .values = {0.0, 100.0}};
  EXPECT_EQ(
      plot("up", {{&curve, "it"}}, {.style = {.columns = 32}, .rows = 3}),
      "up  it 100\n"
      "      100 |              ....''\n"
      "       50 |      ....''''\n"
      "        0 |..''''\n"
      "          +--------------------\n"
      "           0      step       10\n");
}

TEST(Plot, FitsAndHasNothingToSay) {
  EXPECT_EQ(plot("none", {}, {}), "");
  const Curve nan{.steps = {1}, .values = {std::nan("")}};
  EXPECT_EQ(plot("nan", {{&nan, ""}}, {}), "");
  const Curve flat{.steps = {1, 2}, .values = {3.0, 3.0}};
  for (const std::string& line : split(
           plot("flat", {{&flat, "x", Tint::kGood, true}}, {.style = kFancy}),
           '\n')) {
    EXPECT_LE(logging::display_width(line), 60) << line;
  }
}

TEST(Show, ARunInTheTerminal) {
  const TempFolder folder;
  const report::Run run = open_run(write_run(folder, "a"));
  EXPECT_THAT(
      show(run, {}),
      AllOf(
          HasSubstr("state    done"),
          HasSubstr("best     top1 60.00 % at epoch 1 (step 2)"),
          HasSubstr("loss  training 1  o evaluation 1.25"),
          Not(HasSubstr("\x1b"))));
  EXPECT_THAT(show(run, kFancy), HasSubstr("\u25cf evaluation"));
}

TEST(RunsTable, ListsAndSorts) {
  const TempFolder folder;
  config::Recipe other;
  other.optim.lr = 0.25;
  write_run(folder, "a");
  write_run(folder, "b", other, "");
  write_run(folder, "c");
  folder.write("b/log/workerlog.0", "error: it broke\n");
  folder.write(
      "c/metrics.jsonl",
      start_line(2, 4) + eval_line(2, 1, 99) + done_line(2, 0));
  const auto names = [&](config::RunOrder order) {
    std::string text;
    for (const ListedRun& one : list_runs(folder.path(), order)) {
      text += one.run.name;
    }
    return text;
  };
  EXPECT_EQ(names(config::RunOrder::kName), "abc");
  EXPECT_EQ(names(config::RunOrder::kResult), "cab");
  EXPECT_EQ(names(config::RunOrder::kLoss), "cab");
  EXPECT_EQ(names(config::RunOrder::kSpeed), "abc");
  EXPECT_EQ(names(config::RunOrder::kState), "acb");
  const auto list = list_runs(folder.path(), config::RunOrder::kName);
  EXPECT_EQ(
      runs_table(list, {}, /*fits=*/false),
      "run  state   epoch          best    loss  img/s  time  differs\n"
      "a    done      2/2  top1 60.00 %  1.2500    128  1:00\n"
      "b    failed    2/2  top1 60.00 %  1.2500    128  0:05  it broke  "
      "optim.lr=0.25\n"
      "c    done      1/2  top1 99.00 %  1.0000         1:00\n");
  const Json json = runs_json(list);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[1].at("state"), "failed");
  EXPECT_EQ(json[1].at("settings").at("optim.lr"), "0.25");
  EXPECT_EQ(json[2].at("best").at("top1"), 99.0);
}

// Long settings and reasons took several lines.
TEST(RunsTable, IsOneLineForEachRun) {
  const TempFolder folder;
  const std::string name = "shapes_vit_tiny-20260131-12000";
  for (int i = 0; i < 3; ++i) {
    config::Recipe recipe;
    recipe.optim.lr = 0.25 + i;
    recipe.data.train.path = "/data/a/long/path/to/images/" + std::to_string(i);
    write_run(
        folder,
        name + std::to_string(i),
        recipe,
        i == 1 ? "" : done_line(4, 0));
  }
  folder.write(
      name + "1/failure.json",
      R"({"reason":"rank 1 killed by signal 9 (SIGKILL) in step 12","exit_code":7,"time":""})");
  const auto list = list_runs(folder.path(), config::RunOrder::kName);
  for (int columns = 40; columns <= 160; ++columns) {
    const std::vector<std::string> lines = split(
        runs_table(list, {.unicode = true, .columns = columns}, /*fits=*/true),
        '\n');
    ASSERT_EQ(lines.size(), 5u) << columns; // a head, three runs, an end
    for (const std::string& line : lines) {
      EXPECT_LE(logging::display_width(line), columns) << line;
    }
    if (columns >= 80) {
      EXPECT_THAT(lines[2], HasSubstr("rank 1 killed")) << columns;
      EXPECT_THAT(lines[2], AllOf(HasSubstr("\u2026"), HasSubstr("60.00 %")));
    }
  }
  EXPECT_THAT(
      runs_table(list, {.columns = 80}, /*fits=*/true),
      AllOf(HasSubstr("..."), Not(HasSubstr("\u2026"))));
  // A file has all.
  EXPECT_THAT(
      runs_table(list, {}, /*fits=*/false),
      HasSubstr("rank 1 killed by signal 9 (SIGKILL) in step 12"));
}

} // namespace
} // namespace vitrain::report
