#pragma once

#include <cstdint>

#include <c10/util/FunctionRef.h>

namespace vitrain::threads {

// Calls body(first, last) on parts of [begin, end), of at least `grain` numbers
// each, on torch's threads (at::get_num_threads()). Returns when all parts are
// done. Runs on the caller's thread alone with one thread, for a range of at
// most `grain`, and within another parallel_for(). Rethrows exceptions of
// `body`. (at::parallel_for() is serial in files compiled without OpenMP, which
// are all files of this project except this one.)
void parallel_for(
    std::int64_t begin,
    std::int64_t end,
    std::int64_t grain,
    c10::function_ref<void(std::int64_t, std::int64_t)> body);

} // namespace vitrain::threads
