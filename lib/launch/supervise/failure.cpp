#include "launch/supervise/failure.h"

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::launch {

std::string short_reason(const Failure& failure, const std::string& stated) {
  if (stated.empty()) {
    return fmt::format(
        "rank {} {}", failure.rank, without_prefix(failure.cause, "was "));
  }
  const std::string line =
      without_prefix(trim(stated.substr(0, stated.find('\n'))), "| ");
  return fmt::format(
      "rank {}: {}", failure.rank, without_prefix(line, "error: "));
}

} // namespace vitrain::launch
