#pragma once

#include <string>

namespace vitrain::launch {

// Reports to torchrun why this worker fails: writes the file that
// TORCHELASTIC_ERROR_FILE names, in torch's format
//   {"message": {"message": ..., "extraInfo": {"py_callstack": ...,
//     "timestamp": text of the seconds since 1970}}}
// of torch/distributed/elastic/multiprocessing/errors. The agent reports the
// worker with the earliest timestamp. Does nothing without that variable, or if
// the file exists: the first failure is the cause. Never throws.
void write_error_file(const std::string& message) noexcept;

} // namespace vitrain::launch
