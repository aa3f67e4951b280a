#include "models/families/add_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/families/vit.h"
#include "support/messages.h"

namespace vitrain::models {
namespace {

// (That one of another name works, tests/e2e/library_test.sh says: here it
// would stay for all tests of the process.)
TEST(AddFamily, RefusesANameThatIsTaken) {
  const std::size_t count = families().size();
  static const Family other = kVit;
  try {
    add_family(other);
    FAIL() << "a second family is called vit";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kInternal);
    expect_message(error.what(), {"'vit'"});
  }
  EXPECT_EQ(families().size(), count);
}

} // namespace
} // namespace vitrain::models
