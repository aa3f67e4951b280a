// The example source of the guide works and is identical to the tested one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "data/kinds/kinds.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace detail {

Index list_prefixed(const SourceOptions& options);
std::unique_ptr<Source> open_prefixed(std::shared_ptr<const Index> index);

} // namespace detail

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const std::string& file) {
  std::ifstream stream(std::string(VITRAIN_SOURCE_DIR) + "/" + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(ExampleSource, Works) {
  const TempFolder folder;
  for (const char* name : {"dog_2.jpg", "cat_1.jpg", "cat_2.jpg"}) {
    std::filesystem::copy(image_file("rgb_420.jpg"), folder.path() / name);
  }
  folder.write("readme.txt");
  SourceOptions options;
  options.path = folder.path().native();
  options.classes = 0;
  const auto source = detail::open_prefixed(
      std::make_shared<const Index>(detail::list_prefixed(options)));
  EXPECT_THAT(source->classes(), ElementsAre("cat", "dog"));
  EXPECT_EQ(source->size(), 3);
  EXPECT_EQ(source->label(2), 1);
  EXPECT_EQ(source->load(2).width, 61);
  options.path += "/none";
  expect_message(data_error([&] { detail::list_prefixed(options); }), {});
}

TEST(ExampleSource, IsTheGuides) {
  EXPECT_THAT(
      text_of("docs/guide/data.md"),
      HasSubstr(
          "```cpp\n" + text_of("tests/unit/data/sources/example_source.cpp") +
          "```\n"));
}

} // namespace
} // namespace vitrain::data
