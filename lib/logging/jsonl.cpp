#include "logging/jsonl.h"

#include <optional>
#include <string_view>

#include "logging/truncate.h"

namespace vitrain::logging {

std::int64_t truncate_jsonl_after(
    const std::filesystem::path& path,
    std::int64_t step) {
  return keep_lines(path, [step](std::string_view line) {
    const Json record = Json::parse(
        line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    if (!record.is_object()) {
      return Verdict::kRemove;
    }
    const auto at = record.find("step");
    const bool later = at != record.end() && at->is_number() &&
        at->get<double>() > static_cast<double>(step);
    return later ? Verdict::kRemoveRest : Verdict::kKeep;
  });
}

} // namespace vitrain::logging
