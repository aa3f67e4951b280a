#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/output_file.h"
#include "results/prediction.h"

namespace vitrain::results {

// File of the features of images: a matrix of fp32 with a row for each image,
// in their order; the row of an image that could not be read is NaN (of width 0
// if none could). The name decides the format: `.npy` of NumPy, or
// `.safetensors` with a tensor "features".
class FeatureFile {
 public:
  // Opens the file for `images` rows. Throws Error(kUsage) for another
  // extension, and Error(kStorage) as OutputFile.
  FeatureFile(const std::string& path, std::int64_t images);

  // Writes the next rows.
  void add(std::span<const Prediction> predictions);
  void finish();

 private:
  void write_header();
  void write_row(const std::vector<float>& values);
  void write_unread();

  bool numpy_;
  std::int64_t images_;
  std::int64_t width_ = 0; // 0: not known yet
  std::int64_t unread_ = 0; // rows of NaN to write before the next row
  OutputFile file_;
};

// True if a file begins as a FeatureFile.
bool is_features(std::string_view start);

} // namespace vitrain::results
