#include "config/command_line/reference.h"

#include <gtest/gtest.h>

#include "config/schema/schema.h"
#include "config/sections/recipe.h"
#include "core/system/files.h"

namespace vitrain::config {
namespace {

TEST(Reference, TheCommittedFileIsFresh) {
  const std::string committed = read_file(
      VITRAIN_SOURCE_DIR "/docs/config.md", 1 << 20, ExitCode::kInternal);
  EXPECT_TRUE(committed == reference())
      << "docs/config.md is not what `vitrain config reference` prints. "
         "Regenerate it: vitrain config reference > docs/config.md";
}

TEST(Reference, ListsEveryKeyWithItsHelp) {
  const std::string text = reference();
  Recipe recipe;
  const Schema schema = schema_of(recipe);
  for (const Section& section : schema.sections) {
    EXPECT_NE(text.find("# " + section.path + "\n"), text.npos);
  }
  for (const Field& field : schema.fields) {
    EXPECT_NE(text.find(field.help), text.npos) << field.path;
  }
}

} // namespace
} // namespace vitrain::config
