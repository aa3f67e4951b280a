#include "job/run/leftovers.h"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "checkpoint/folder.h"
#include "core/json_values.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = std::size_t{4} << 30; // bytes of records

} // namespace

std::vector<std::string> remove_leftovers(const RunDirectory& run) {
  for (const fs::path& folder : {run.path, run.trace(0).parent_path()}) {
    std::error_code error;
    std::vector<fs::path> left;
    for (fs::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      const std::string name = it->path().filename().native();
      const std::size_t at = name.rfind(checkpoint::kTemporary);
      const std::size_t number = at + checkpoint::kTemporary.size();
      std::error_code ignored;
      if (at != name.npos && number < name.size() &&
          name.find_first_not_of("0123456789", number) == name.npos &&
          fs::is_regular_file(it->symlink_status(ignored))) {
        left.push_back(it->path());
      }
    }
    for (const fs::path& file : left) {
      fs::remove(file, error);
    }
  }
  const checkpoint::Leftovers left =
      checkpoint::remove_leftovers(run.checkpoints());
  if (left.folders == 0) {
    return {};
  }
  return {fmt::format(
      "removed {} of processes that have ended ({})",
      counted(left.folders, "unfinished checkpoint"),
      human_bytes(left.bytes))};
}

bool is_recorded_as_done(const RunDirectory& run) {
  std::error_code error;
  if (!fs::exists(run.metrics(), error)) {
    return true;
  }
  const std::string text =
      read_file(run.metrics(), kLargest, ExitCode::kStorage);
  const std::string_view lines = trim(text);
  const Json last = Json::parse(
      lines.substr(lines.rfind('\n') + 1),
      /*cb=*/nullptr,
      /*allow_exceptions=*/false);
  return last.is_object() && json_text(last, "kind") == "done";
}

} // namespace vitrain::job
