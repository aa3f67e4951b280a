#include "launch/devices/devices.h"

#include <cstdio>

#include "launch/devices/cores.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

int devices() {
  const std::string text = launch::visible_devices_text(
      launch::visible_cuda_devices(), launch::available_cores());
  std::fputs(text.c_str(), stdout);
  return 0;
}

} // namespace vitrain::verbs
