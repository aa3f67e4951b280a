#include "config/command_line/data_arguments.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/command_line/options.h"
#include "core/enum_names.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

Filter read_filter(
    const std::string& shown,
    const std::string& value,
    const ReportProblem& report) {
  const std::optional<Filter> filter = value_of<Filter>(value);
  if (!filter) {
    report(
        shown,
        fmt::format(
            "expected one of {}, got {}",
            fmt::join(all_names<Filter>(), ", "),
            printable(value)));
  }
  return filter.value_or(Filter::kBicubic);
}

} // namespace

std::optional<std::int64_t> read_count(
    const std::string& shown,
    const std::string& value,
    int least,
    const ReportProblem& report,
    int most) {
  std::int64_t count = 0;
  if (!parse_int(value, count) || count < least || count > most) {
    const bool open =
        most == std::numeric_limits<std::int32_t>::max() && count <= most;
    report(
        shown,
        fmt::format(
            "expected integer {}, got {}",
            open ? fmt::format(">= {}", least)
                 : fmt::format("in [{}, {}]", least, most),
            printable(value)));
    return std::nullopt;
  }
  return count;
}

void read_data_option(
    OptionId id,
    const std::string& shown,
    const std::string& value,
    DataArguments& arguments,
    const ReportProblem& report) {
  const auto count = [&](int least) {
    return read_count(shown, value, least, report);
  };
  // As data.preprocess.resize.
  const auto side = [&] { return read_count(shown, value, 1, report, 8192); };
  switch (id) {
    case OptionId::kEpoch:
      arguments.epoch = count(0).value_or(0);
      break;
    case OptionId::kWorld:
      arguments.world = count(1);
      break;
    case OptionId::kRank:
      arguments.rank = count(0);
      break;
    case OptionId::kOut:
      arguments.out = value;
      break;
    case OptionId::kShardMb:
      arguments.shard_mb = count(1).value_or(1);
      break;
    case OptionId::kCount:
      arguments.count = count(1).value_or(1);
      break;
    case OptionId::kTrainPixels:
      arguments.train = true;
      break;
    case OptionId::kIndex:
      arguments.index = count(0).value_or(0);
      break;
    case OptionId::kResizeTo:
      arguments.resize = side();
      break;
    case OptionId::kCropTo:
      arguments.crop = side();
      break;
    case OptionId::kFilter:
      arguments.filter = read_filter(shown, value, report);
      break;
    case OptionId::kPillow:
      arguments.pillow = read_count(shown, value, 12, report, 13).value_or(12);
      break;
    default:
      break; // other groups
  }
}

} // namespace vitrain::config
