#include "launch/devices/devices_named.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/text.h"

namespace vitrain::launch {

std::int64_t devices_named(const std::string& visible) {
  constexpr std::array<std::string_view, 3> kNoMore{
      "NoDevFiles", "none", "void"};
  std::int64_t count = 0;
  for (const std::string& text : split(visible, ',')) {
    const std::string_view entry = trim(text);
    if (entry.starts_with('-') ||
        std::ranges::find(kNoMore, entry) != kNoMore.end()) {
      break;
    }
    // An empty one names nothing; CUDA stops there, which is for messages.
    count += entry.empty() ? 0 : 1;
  }
  return count;
}

} // namespace vitrain::launch
