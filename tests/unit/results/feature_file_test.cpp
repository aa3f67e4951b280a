#include "results/feature_file.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/files.h"

namespace vitrain::results {
namespace {

// Three images of which the first and last cannot be read.
std::string written(const std::string& name) {
  const TempFolder folder;
  const std::string path = folder / name;
  FeatureFile file(path, 3);
  file.add(std::vector<Prediction>{{.problem = "damaged"}});
  file.add(std::vector<Prediction>{
      {.features = {1.5F, -2.0F}}, {.problem = "damaged"}});
  file.finish();
  return slurp(path);
}

void expect_rows(const std::string& bytes) {
  std::vector<float> values(6);
  ASSERT_EQ(bytes.size(), values.size() * sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  EXPECT_EQ(values[2], 1.5F);
  EXPECT_EQ(values[3], -2.0F);
  for (const std::size_t i : {0, 1, 4, 5}) {
    EXPECT_TRUE(std::isnan(values[i])) << i;
  }
}

// The first bytes are those of numpy.save (NumPy 2.2) of an array of this
// shape.
TEST(FeatureFile, IsAFileOfNumPy) {
  const std::string bytes = written("a.npy");
  const std::string header("\x93NUMPY\x01\x00v\x00", 10);
  const std::string text =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
  EXPECT_EQ(
      bytes.substr(0, 128),
      header + text + std::string(128 - 11 - text.size(), ' ') + "\n");
  expect_rows(bytes.substr(128));
  EXPECT_TRUE(is_features(bytes));
}

TEST(FeatureFile, IsAFileOfSafetensors) {
  const std::string bytes = written("a.safetensors");
  const std::string text =
      R"({"features":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}})";
  const std::size_t length = (text.size() + 7) / 8 * 8;
  EXPECT_EQ(
      bytes.substr(0, 8),
      std::string(1, static_cast<char>(length)) + std::string(7, '\0'));
  EXPECT_EQ(bytes.substr(8, text.size()), text);
  expect_rows(bytes.substr(8 + length));
  EXPECT_TRUE(is_features(bytes));
}

TEST(FeatureFile, RefusesOtherNames) {
  EXPECT_THROW(FeatureFile("a.csv", 3), Error);
  EXPECT_FALSE(is_features("path,prediction"));
}

} // namespace
} // namespace vitrain::results
