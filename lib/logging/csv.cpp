#include "logging/csv.h"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"
#include "logging/truncate.h"

namespace vitrain::logging {
namespace {

constexpr std::size_t kStepColumn = 1;

} // namespace

const char* const kSummaryHeader =
    "epoch,step,train_loss,train_top1,eval_loss,eval_top1,eval_top5,lr,"
    "images_per_second,comm_wait,seconds";

std::string summary_text(const SummaryRow& row) {
  std::string text = fmt::format("{},{}", row.epoch, row.step);
  for (const auto& cell :
       {row.train_loss,
        row.train_top1,
        row.eval_loss,
        row.eval_top1,
        row.eval_top5,
        row.lr,
        row.images_per_second,
        row.comm_wait,
        row.seconds}) {
    text += "," + (cell ? shortest(*cell) : "");
  }
  return text;
}

CsvWriter::CsvWriter(const std::filesystem::path& path)
    : sink_(RecordSink::open(path)) {
  struct stat status {};
  if (sink_ && ::fstat(sink_.fd(), &status) == 0 && status.st_size == 0) {
    sink_.write(fmt::format("{}\n", kSummaryHeader));
  }
}

void CsvWriter::write(const SummaryRow& row) {
  sink_.write(summary_text(row) + "\n");
}

std::int64_t truncate_csv_after(
    const std::filesystem::path& path,
    std::int64_t step) {
  const std::size_t columns = split(kSummaryHeader, ',').size();
  bool first = true;
  return keep_lines(path, [&](std::string_view line) {
    if (first) {
      first = false;
      return line == kSummaryHeader ? Verdict::kKeep : Verdict::kRemoveRest;
    }
    const std::vector<std::string> cells = split(line, ',');
    std::int64_t at = 0;
    if (cells.size() != columns || !parse_int(cells[kStepColumn], at)) {
      return Verdict::kRemove;
    }
    return at > step ? Verdict::kRemoveRest : Verdict::kKeep;
  });
}

} // namespace vitrain::logging
