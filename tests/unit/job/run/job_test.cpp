#include "job/run/job.h"

#include <gtest/gtest.h>

namespace vitrain::job {
namespace {

Job job_of(bool cuda, config::Backend backend) {
  Job job;
  job.cuda = cuda;
  job.ordinals = {0, 1};
  job.recipe.dist.backend = backend;
  return job;
}

TEST(Job, ABackendIsNamedAsItIsChosen) {
  EXPECT_EQ(job_of(false, config::Backend::kAuto).backend(2), "gloo");
  EXPECT_EQ(job_of(true, config::Backend::kAuto).backend(2), "nccl");
  EXPECT_EQ(job_of(true, config::Backend::kNccl).backend(2), "nccl");
  EXPECT_EQ(job_of(true, config::Backend::kGloo).backend(2), "gloo");
  EXPECT_EQ(
      job_of(true, config::Backend::kGloo).backend(1), "none (one worker)");
  EXPECT_EQ(
      job_of(false, config::Backend::kAuto).backend(1), "none (one worker)");
  EXPECT_EQ(job_of(true, config::Backend::kAuto).backend(1), "nccl");
  EXPECT_FALSE(job_of(true, config::Backend::kGloo).uses_nccl());
  EXPECT_FALSE(job_of(false, config::Backend::kAuto).uses_nccl());
}

TEST(Job, OneProcessHasNoBackend) {
  Job job = job_of(true, config::Backend::kAuto);
  job.recipe.dist.mode = config::DistMode::kSingleProcess;
  EXPECT_EQ(job.backend(1), "threads of one process");
  job.mode = JobMode::kEval; // which has workers always
  EXPECT_EQ(job.backend(2), "nccl");
}

} // namespace
} // namespace vitrain::job
