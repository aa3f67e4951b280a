#include "logging/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/system/clock.h"
#include "core/system/system.h"

namespace vitrain::logging {
namespace {

constexpr int kMostFilesASecond = 1000;

std::string host_in_name() {
  std::string safe = safe_tag(host_name());
  std::ranges::replace(safe, '/', '_');
  return safe;
}

} // namespace

TensorBoardWriter::TensorBoardWriter(
    const std::filesystem::path& folder,
    std::optional<std::int64_t> resumed_step) {
  const double now = unix_time();
  const std::string host = host_in_name();
  for (int n = 0; n < kMostFilesASecond; ++n) {
    path_ = folder /
        fmt::format(
                "events.out.tfevents.{:010d}.{}.{}.{}",
                static_cast<std::int64_t>(now),
                host,
                ::getpid(),
                n);
    std::error_code ignored;
    sink_ = RecordSink::open(path_, O_EXCL);
    if (sink_ || !std::filesystem::exists(path_, ignored)) {
      break;
    }
  }
  sink_.write(tf_record(version_event(now)));
  if (resumed_step) {
    sink_.write(tf_record(restart_event(now, *resumed_step + 1)));
  }
}

void TensorBoardWriter::scalar(
    std::string_view tag,
    double value,
    std::int64_t step) {
  sink_.write(tf_record(scalar_event(
      unix_time(), step, safe_tag(tag), static_cast<float>(value))));
}

void TensorBoardWriter::image(
    std::string_view tag,
    const Picture& picture,
    std::int64_t step) {
  sink_.write(
      tf_record(image_event(unix_time(), step, safe_tag(tag), picture)));
}

void TensorBoardWriter::begin_session(
    const std::vector<Hyperparameter>& parameters) {
  sink_.write(tf_record(session_start_event(unix_time(), parameters)));
}

void TensorBoardWriter::end_session(bool success) {
  sink_.write(tf_record(session_end_event(unix_time(), success)));
}

void TensorBoardWriter::text(
    std::string_view tag,
    std::string_view markdown,
    std::int64_t step) {
  sink_.write(
      tf_record(text_event(unix_time(), step, safe_tag(tag), markdown)));
}

} // namespace vitrain::logging
