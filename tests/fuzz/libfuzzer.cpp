// The entry that libFuzzer calls, for every target.
#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(
    const std::uint8_t* data,
    std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(
    const std::uint8_t* data,
    std::size_t size) {
  vitrain::fuzz::fuzz({data, size});
  return 0;
}
