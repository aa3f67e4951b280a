#include "report/runs/records.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>

#include "core/check.h"
#include "core/json_values.h"
#include "core/system/files.h"
#include "core/text.h"
#include "options/metric.h"

namespace vitrain::report {
namespace {

// Keys of train records that become curves.
constexpr std::array<std::string_view, 12> kTrainKeys{
    "loss",
    "top1",
    "top5",
    "lr",
    "grad_norm",
    "sparsity",
    "loss_scale",
    "images_per_second",
    "data_wait",
    "comm_wait",
    "comm_bytes",
    "bad_samples"};

// Finds the number of a key in a train record, nullopt if there is none,
// without parsing the line. Train records are most of a file, flat, and written
// by this program; this is 20 times as fast as parsing.
std::optional<double> number_in(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != line.npos;
       at = line.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if (at > 0 && line[at - 1] == '"' && line.substr(end, 2) == "\":") {
      double value = 0.0;
      const char* first = line.data() + end + 2;
      const auto read =
          std::from_chars(first, line.data() + line.size(), value);
      return read.ec == std::errc() ? std::optional(value) : std::nullopt;
    }
  }
  return std::nullopt;
}

// Returns the bytes of a file from offset `from` on. If the file is smaller
// than `from`, sets that to 0 and returns all bytes; "" if there is no file.
// Throws Error(kStorage) for other failures.
std::string read_from(const std::filesystem::path& file, std::uint64_t& from) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd && errno == ENOENT) {
    from = 0;
    return "";
  }
  VITRAIN_CHECK(
      fd && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode),
      ExitCode::kStorage,
      "{}: cannot be read: {}",
      printable(file.native()),
      fd ? "it is no regular file" : error_text(errno));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < from) {
    from = 0;
  }
  std::string bytes(size - from, '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t part = ::pread(
        fd.get(),
        bytes.data() + got,
        bytes.size() - got,
        static_cast<off_t>(from + got));
    if (part < 0 && errno == EINTR) {
      continue;
    }
    VITRAIN_CHECK(
        part >= 0,
        ExitCode::kStorage,
        "{}: cannot be read: {}",
        printable(file.native()),
        error_text(errno));
    if (part == 0) {
      break; // the file was truncated just now
    }
    got += static_cast<std::size_t>(part);
  }
  bytes.resize(got);
  return bytes;
}

} // namespace

const Curve* Records::curve(std::string_view name) const {
  const auto found = curves.find(name);
  return found == curves.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> Records::started_with(const char* key) const {
  return json_integer(start, key);
}

void RecordReader::update() {
  std::uint64_t from = read_;
  const std::string bytes = read_from(file_, from);
  if (from < read_) {
    *this = RecordReader(file_);
  }
  std::size_t begin = 0;
  for (std::size_t end = bytes.find('\n'); end != bytes.npos;
       end = bytes.find('\n', begin)) {
    take(std::string_view(bytes).substr(begin, end - begin));
    begin = end + 1;
  }
  read_ = from + begin;
  const auto said = json_number(records_.done, "seconds");
  records_.seconds = before_ + said.value_or(spent_);
}

void RecordReader::take(std::string_view line) {
  if (line.starts_with("{\"kind\":\"train\"") && line.ends_with('}')) {
    take_train(line);
    return;
  }
  const Json record = Json::parse(
      line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (record.is_object()) {
    take_other(record);
  }
}

void RecordReader::take_train(std::string_view line) {
  const auto step_number = number_in(line, "step");
  if (!step_number || !(std::abs(*step_number) < 1e15)) {
    return;
  }
  const auto step = static_cast<std::int64_t>(*step_number);
  for (const std::string_view key : kTrainKeys) {
    if (const auto value = number_in(line, key)) {
      records_.curves["train." + std::string(key)].add(step, *value);
    }
  }
  spent_ += number_in(line, "step_seconds").value_or(0.0) *
      static_cast<double>(step - records_.step);
  const double count = number_in(line, "count").value_or(0.0);
  const double speed = number_in(line, "images_per_second").value_or(0.0);
  if (count > 0.0 && speed > 0.0) {
    records_.samples += count;
    records_.sample_seconds += count / speed;
  }
  records_.step = step;
}

void RecordReader::take_other(const Json& record) {
  const std::string kind = json_text(record, "kind");
  const auto step = json_number(record, "step");
  if (kind == "start") {
    begin_process(record);
  } else if (kind == "eval") {
    spent_ += json_number(record, "seconds").value_or(0.0);
    const std::string weights = json_text(record, "weights");
    const bool raw = weights.empty() || weights == "raw";
    if (step && (raw || weights == "ema")) {
      records_.step = std::max(records_.step, static_cast<std::int64_t>(*step));
      (raw ? records_.evaluations : records_.ema_evaluations).push_back(record);
      const std::string prefix = raw ? "eval." : "ema.";
      for (const MetricInfo& metric : kMetrics) {
        if (const auto value = json_number(record, metric.name)) {
          records_.curves[prefix + std::string(metric.name)].add(
              static_cast<std::int64_t>(*step), *value);
        }
      }
    }
  } else if (kind == "checkpoint") {
    const auto blocked = json_number(record, "blocked_seconds");
    spent_ += blocked.value_or(json_number(record, "seconds").value_or(0.0));
  } else if (kind == "done") {
    records_.done = record;
    if (step) { // may be after the last train record
      records_.step = std::max(records_.step, static_cast<std::int64_t>(*step));
    }
  } else if (kind == "train") { // keys in another order
    take_train(to_line(record));
  }
}

void RecordReader::begin_process(const Json& start) {
  before_ += json_number(records_.done, "seconds").value_or(spent_);
  spent_ = 0.0;
  records_.start = start;
  records_.done = nullptr;
  ++records_.starts;
  if (const auto step = json_number(start, "resumed_step")) {
    records_.step = static_cast<std::int64_t>(*step);
  }
}

} // namespace vitrain::report
