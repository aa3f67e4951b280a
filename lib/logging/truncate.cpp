#include "logging/truncate.h"

#include <string>

#include "core/files.h"

namespace vitrain::logging {
namespace {

constexpr std::size_t kLargestLog = std::size_t{4} << 30; // bytes

} // namespace

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

} // namespace vitrain::logging
