#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain {

// "1 worker", "1,234 workers": for nouns whose plural ends with an s.
std::string counted(std::int64_t count, std::string_view noun);

} // namespace vitrain
