#include "threads/parallel_for.h"

#include <ATen/Parallel.h>

#ifndef INTRA_OP_PARALLEL
#error \
    "at::parallel_for() would use one thread: compile this file with -fopenmp"
#endif

namespace vitrain::threads {

void parallel_for(
    std::int64_t begin,
    std::int64_t end,
    std::int64_t grain,
    c10::function_ref<void(std::int64_t, std::int64_t)> body) {
  at::parallel_for(begin, end, grain, body);
}

} // namespace vitrain::threads
