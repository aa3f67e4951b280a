#include "core/system/clock.h"

#include <ctime>

namespace vitrain {

std::string local_time(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[64];
  const std::size_t length = std::strftime(text, sizeof(text), format, &parts);
  return std::string(text, length);
}

double unix_time() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

} // namespace vitrain
