// Limits the thread that runs the tests to one intra-op thread, in programs
// that link this file: results do not depend on the machine's cores, and idle
// threads of GNU OpenMP, which spin, do not slow down a busy machine.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace vitrain::testing {
namespace {

class OneIntraOpThread final : public ::testing::Environment {
 public:
  void SetUp() override { at::set_num_threads(1); }
};

// GoogleTest deletes it.
const ::testing::Environment* const kOneIntraOpThread =
    ::testing::AddGlobalTestEnvironment(new OneIntraOpThread);

} // namespace
} // namespace vitrain::testing
