#include "core/counted.h"

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain {

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format(
      "{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

} // namespace vitrain
