#pragma once

#include <string>
#include <string_view>

#include "core/files.h"

namespace vitrain::launch {

// The job that the supervisor hands to its workers: JSON text in a sealed file
// in memory. Descriptors that workers inherit besides (dataset indexes made by
// make_memfd) keep their numbers, so the JSON names them by number.
Fd make_job(std::string_view json);

// The text of the job behind VITRAIN_JOB_FD. Workers share the file's offset,
// so it is not moved: may be called any number of times. Throws Error(kUsage)
// when this process was not started by the supervisor.
std::string read_job_from_environment();

} // namespace vitrain::launch
