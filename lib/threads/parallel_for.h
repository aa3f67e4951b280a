#pragma once

#include <cstdint>

#include <c10/util/FunctionRef.h>

namespace vitrain::threads {

// Calls body(first, last) on equal subranges of [begin, end), one for each of
// torch's threads (at::get_num_threads()), but at most ceil(size / grain); not
// at all for an empty range. Returns when all subranges are done. Uses only the
// caller's thread if there is one thread, for a range of at most `grain`, and
// within another parallel_for(). Rethrows the first exception of `body`.
// (at::parallel_for() is serial in files compiled without OpenMP, which are all
// files of this project except this one's .cpp.)
void parallel_for(
    std::int64_t begin,
    std::int64_t end,
    std::int64_t grain,
    c10::function_ref<void(std::int64_t, std::int64_t)> body);

} // namespace vitrain::threads
