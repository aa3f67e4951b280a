#include "core/counted.h"

#include <gtest/gtest.h>

namespace vitrain {
namespace {

TEST(Counted, OnlyOneIsOne) {
  EXPECT_EQ(counted(0, "worker"), "0 workers");
  EXPECT_EQ(counted(1, "worker"), "1 worker");
  EXPECT_EQ(counted(1234, "worker"), "1,234 workers");
}

} // namespace
} // namespace vitrain
