#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "data/load/pipeline.h"
#include "data/load/rows.h"
#include "data/sources/source.h"

namespace vitrain::data {

// Rows of images: [splits, height, width, channels] bytes.
class ImageRows final : public Rows {
 public:
  ImageRows(
      std::shared_ptr<const Source> source,
      const TransformOptions& options);

  std::size_t bytes() const override { return transform_.bytes(); }
  std::unique_ptr<Scratch> make_scratch() const override;
  RowDefects fill(
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const override;
  std::string describe(std::int64_t sample) const override {
    return source_->describe(sample);
  }

 private:
  RowDefects fill_channels(
      const Draw& draw,
      std::span<std::uint8_t> out,
      std::string& bytes,
      Transform::Scratch& scratch) const;

  std::shared_ptr<const Source> source_;
  Transform transform_;
};

// Rows of vectors: the features, then the targets, as native floats.
class VectorRows final : public Rows {
 public:
  using Rows::Rows;

  std::size_t bytes() const override {
    return static_cast<std::size_t>(
               index().options().features + index().options().targets) *
        sizeof(float);
  }
  RowDefects fill(
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const override;
  std::string describe(std::int64_t sample) const override;
};

} // namespace vitrain::data
