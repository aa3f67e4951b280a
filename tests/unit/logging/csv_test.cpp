#include "logging/record_files.h"

#include <cmath>

#include "core/text.h"
#include "support.h"

namespace vitrain::logging {
namespace {

// No values for loss, top1 and top5.
const std::vector<std::optional<double>> kNone(3);

const std::string kHead = summary_header() + "\n";

TEST(Csv, TheHeaderIsTheOneDocumented) {
  EXPECT_EQ(
      summary_header(),
      "epoch,step,train_loss,train_top1,eval_loss,eval_top1,eval_top5,lr,"
      "images_per_second,comm_wait,seconds");
}

TEST(Csv, ValuesStandUnderTheirNamesAndParseBackExactly) {
  const SummaryRow row{
      .epoch = 1,
      .step = 2,
      .train_loss = 0.1 + 0.2,
      .train_top1 = 4,
      .eval = {5, 6, 7},
      .lr = 1e-5,
      .images_per_second = 1e20 / 3,
      .comm_wait = 0.25,
      .seconds = 10};
  EXPECT_EQ(
      summary_text(row),
      "1,2,0.30000000000000004,4,5,6,7,1e-05,3.333333333333333e+19,0.25,10");
  const std::vector<std::string> cells = split(summary_text(row), ',');
  EXPECT_EQ(cells.size(), split(summary_header(), ',').size());
  double value = 0;
  ASSERT_TRUE(parse_double(cells[8], value));
  EXPECT_EQ(value, 1e20 / 3);
}

TEST(Csv, AveragedWeightsHaveColumnsWhereTheyAreEvaluated) {
  const std::vector<std::string> names =
      split(summary_header({.averages = true}), ',');
  EXPECT_EQ(names.size(), split(summary_header(), ',').size() + 3);
  EXPECT_EQ(names[8], "ema_top1");
  SummaryRow row{.epoch = 1, .eval = {1, 2, 3}};
  row.averaged = {4, 5, 6};
  const std::vector<std::string> cells = split(summary_text(row), ',');
  ASSERT_EQ(cells.size(), names.size());
  EXPECT_EQ(cells[8], "5");
}

TEST(Csv, MissingValuesAreEmptyAndNanIsNan) {
  EXPECT_EQ(
      summary_text({.epoch = 1, .step = 2, .eval = kNone}), "1,2,,,,,,,,,");
  EXPECT_EQ(
      summary_text({.train_loss = std::nan(""), .eval = kNone, .lr = 0.0}),
      "0,0,nan,,,,,0,,,");
}

TEST(Csv, TheHeaderIsWrittenOnce) {
  const TempFolder folder;
  CsvWriter(folder / "s").write({.epoch = 1, .step = 10, .eval = kNone});
  CsvWriter(folder / "s").write({.epoch = 2, .step = 20, .eval = kNone});
  EXPECT_EQ(slurp(folder / "s"), kHead + "1,10,,,,,,,,,\n2,20,,,,,,,,,\n");
}

TEST(TruncateCsv, RemovesLaterAndTornRows) {
  const TempFolder folder;
  const std::string kept = kHead + "1,10,,,,,,,,,\n2,20,,,,,,,,,\n";
  for (const std::string tail :
       {"",
        "3,30,,,,,,,,,\n",
        "3,30,,,,,,,,,\n2,20,,,,,,,,,\n",
        "2,20,,,,",
        "2,20,,,\n",
        "x,y,,,,,,,,,\n",
        ",,,,,,,,,,\n",
        "2,20,,,,,,,,,,\n"}) {
    spill(folder / "s", kept + tail);
    truncate_csv_after(folder / "s", 20);
    EXPECT_EQ(slurp(folder / "s"), kept) << tail;
  }
  EXPECT_EQ(truncate_csv_after(folder / "s", 0), 2);
  EXPECT_EQ(slurp(folder / "s"), kHead);
}

TEST(TruncateCsv, AForeignFileIsStartedAnew) {
  const TempFolder folder;
  spill(folder / "s", "epoch,loss\n1,2\n");
  truncate_csv_after(folder / "s", 20);
  CsvWriter(folder / "s").write({.epoch = 1, .step = 10, .eval = kNone});
  EXPECT_EQ(slurp(folder / "s"), kHead + "1,10,,,,,,,,,\n");
  // A header that was torn is started anew as well.
  spill(folder / "s", kHead.substr(0, 9));
  EXPECT_EQ(truncate_csv_after(folder / "s", 20), 1);
  EXPECT_EQ(slurp(folder / "s"), "");
}

} // namespace
} // namespace vitrain::logging
