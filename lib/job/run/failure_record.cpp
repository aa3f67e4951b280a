#include "job/run/failure_record.h"

#include <exception>

#include "core/error.h"
#include "core/system/clock.h"
#include "core/system/files.h"

namespace vitrain::job {

void write_failure(
    const RunDirectory& run,
    const std::string& reason,
    int exit_code) noexcept {
  try {
    const FailureRecord record{
        .reason = reason,
        .exit_code = exit_code,
        .time = local_time("%Y-%m-%dT%H:%M:%S%z")};
    write_file_atomically(
        run.failure(),
        Json(record).dump(2, ' ', false, Json::error_handler_t::replace) +
            "\n");
  } catch (const std::exception&) {
    return; // the error is on the terminal anyway
  }
}

std::optional<FailureRecord> read_failure(const RunDirectory& run) {
  constexpr std::size_t kLargest = std::size_t{1} << 16; // bytes
  try {
    return Json::parse(read_file(run.failure(), kLargest, ExitCode::kStorage))
        .get<FailureRecord>();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

} // namespace vitrain::job
