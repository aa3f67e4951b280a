#pragma once

#include <cstdint>

#include <c10/util/FunctionRef.h>

namespace vitrain::threads {

// body(first, last) for parts that together are [begin, end), each on one of
// torch's threads (at::get_num_threads()), in parts of `grain` numbers or more;
// returns when all are done. On the caller's thread alone where there is one
// thread, where `grain` are enough for all, and inside of another such loop.
// Throws what a body throws. (at::parallel_for() is a loop on one thread in
// files that are compiled without OpenMP, as all others here are.)
void parallel_for(
    std::int64_t begin,
    std::int64_t end,
    std::int64_t grain,
    c10::function_ref<void(std::int64_t, std::int64_t)> body);

} // namespace vitrain::threads
