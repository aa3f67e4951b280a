#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace vitrain::logging {

enum class Verdict { kKeep, kRemove, kRemoveRest };

// Rewrites a text file such that the lines that `judge` keeps remain, in
// order; kRemoveRest removes a line and all after it. A last line without a
// newline is torn: it is removed unasked. The file is replaced atomically, and
// only when a line goes; a missing file is left missing. Returns the number of
// lines removed; throws Error(kStorage).
std::int64_t keep_lines(
    const std::filesystem::path& path,
    const std::function<Verdict(std::string_view line)>& judge);

} // namespace vitrain::logging
