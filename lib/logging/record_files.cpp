#include "logging/record_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/json_values.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::logging {
namespace {

constexpr std::size_t kLargestLog = std::size_t{4} << 30; // bytes
constexpr std::size_t kStepColumn = 1;

enum class Verdict { kKeep, kRemove, kRemoveRest };

// Rewrites a text file, keeping the lines for which `judge` returns kKeep;
// kRemoveRest removes the line and all after it. A last line without newline is
// incomplete and always removed. The file is replaced atomically, and only if a
// line is removed; a missing file is ignored. Returns the number of removed
// lines. Throws Error(kStorage).
std::int64_t keep_lines(
    const std::filesystem::path& path,
    const std::function<Verdict(std::string_view line)>& judge) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) {
    return 0;
  }
  const std::string bytes = read_file(path, kLargestLog, ExitCode::kStorage);
  std::string kept;
  std::int64_t removed = 0;
  bool rest_goes = false;
  for (std::size_t start = 0; start < bytes.size();) {
    const std::size_t end = bytes.find('\n', start);
    const bool whole = end != std::string::npos;
    const std::string_view line =
        std::string_view(bytes).substr(start, whole ? end - start : end);
    const Verdict verdict =
        whole && !rest_goes ? judge(line) : Verdict::kRemove;
    rest_goes = rest_goes || verdict == Verdict::kRemoveRest;
    if (verdict == Verdict::kKeep) {
      kept.append(line).push_back('\n');
    } else {
      ++removed;
    }
    start = whole ? end + 1 : bytes.size();
  }
  if (removed > 0) {
    write_file_atomically(path, kept);
  }
  return removed;
}

} // namespace

std::int64_t truncate_jsonl_after(
    const std::filesystem::path& path,
    std::int64_t step,
    const std::function<void(const Json&)>& kept) {
  return keep_lines(path, [&](std::string_view line) {
    const Json record = Json::parse(
        line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    if (!record.is_object()) {
      return Verdict::kRemove;
    }
    // A record without a step is kept.
    if (json_number(record, "step") > static_cast<double>(step)) {
      return Verdict::kRemoveRest;
    }
    kept(record);
    return Verdict::kKeep;
  });
}

std::vector<MetricInfo> summary_metrics(const SummaryColumns& columns) {
  std::vector<MetricInfo> metrics;
  std::ranges::copy_if(
      kMetrics, std::back_inserter(metrics), [&](const MetricInfo& metric) {
        return (!metric.of_real_labels || columns.real_labels) &&
            (!metric.of_label_lists || columns.label_lists);
      });
  return metrics;
}

std::string summary_header(const SummaryColumns& columns) {
  std::string header = "epoch,step,train_loss,train_top1";
  const std::vector<MetricInfo> metrics = summary_metrics(columns);
  for (const MetricInfo& metric : metrics) {
    header += fmt::format(",eval_{}", metric.name);
  }
  for (const MetricInfo& metric : metrics) {
    header += columns.averages ? fmt::format(",ema_{}", metric.name) : "";
  }
  return header + ",lr,images_per_second,comm_wait,seconds";
}

std::string summary_text(const SummaryRow& row) {
  std::string text = fmt::format("{},{}", row.epoch, row.step);
  const auto add = [&](std::optional<double> cell) {
    text += "," + (cell ? shortest(*cell) : "");
  };
  add(row.train_loss);
  add(row.train_top1);
  std::ranges::for_each(row.eval, add);
  std::ranges::for_each(row.averaged, add);
  add(row.lr);
  add(row.images_per_second);
  add(row.comm_wait);
  add(row.seconds);
  return text;
}

CsvWriter::CsvWriter(
    const std::filesystem::path& path,
    const SummaryColumns& columns)
    : sink_(RecordSink::open(path)) {
  struct stat status {};
  if (sink_ && ::fstat(sink_.fd(), &status) == 0 && status.st_size == 0) {
    sink_.write(fmt::format("{}\n", summary_header(columns)));
  }
}

void CsvWriter::write(const SummaryRow& row) {
  sink_.write(summary_text(row) + "\n");
}

std::int64_t truncate_csv_after(
    const std::filesystem::path& path,
    std::int64_t step,
    const SummaryColumns& columns) {
  const std::string header = summary_header(columns);
  const std::size_t width = split(header, ',').size();
  bool first = true;
  return keep_lines(path, [&](std::string_view line) {
    if (first) {
      first = false;
      return line == header ? Verdict::kKeep : Verdict::kRemoveRest;
    }
    const std::vector<std::string> cells = split(line, ',');
    std::int64_t at = 0;
    if (cells.size() != width || !parse_int(cells[kStepColumn], at)) {
      return Verdict::kRemove;
    }
    return at > step ? Verdict::kRemoveRest : Verdict::kKeep;
  });
}

} // namespace vitrain::logging
