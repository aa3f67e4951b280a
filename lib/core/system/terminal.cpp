#include "core/system/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "core/system/system.h"
#include "core/text.h"

namespace vitrain {

int terminal_columns(int fd) {
  constexpr std::int64_t kUsual = 80;
  constexpr std::int64_t kNarrowest = 20;
  constexpr std::int64_t kWidest = 10000;
  if (::isatty(fd) == 0) {
    return 0;
  }
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::max<int>(size.ws_col, kNarrowest);
  }
  std::int64_t columns = 0;
  const bool known =
      parse_int(environment_variable("COLUMNS"), columns) && columns > 0;
  return static_cast<int>(
      std::clamp(known ? columns : kUsual, kNarrowest, kWidest));
}

} // namespace vitrain
