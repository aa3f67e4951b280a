#include "launch/processes/job.h"

#include "launch/processes/descriptors.h"
#include "launch/processes/worker.h"

namespace vitrain::launch {

Fd make_job(std::string_view json) {
  return make_memfd("vitrain-job", json);
}

std::string read_job_from_environment() {
  return std::string(Mapping(inherited_descriptor(variable::kJobFd)).bytes());
}

} // namespace vitrain::launch
