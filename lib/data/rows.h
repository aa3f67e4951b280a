#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "data/index.h"
#include "data/pipeline.h"
#include "data/source.h"

namespace vitrain::data {

// The samples of an index as rows of batches: transformed pixels, or numbers.
// All methods are thread-safe.
class Rows {
 public:
  explicit Rows(std::shared_ptr<const Index> index)
      : index_(std::move(index)) {}
  virtual ~Rows() = default;

  const Index& index() const { return *index_; }
  // Of one row.
  virtual std::size_t bytes() const = 0;
  // Writes the row of a sample to `out`, which holds bytes() bytes: a pure
  // function of epoch and sample. Returns the number of defects that were
  // worked around. Throws Error(kData) that names the sample.
  virtual int fill(
      std::int64_t epoch,
      std::int64_t sample,
      std::span<std::uint8_t> out) const = 0;
  // Where the sample is, printable.
  virtual std::string describe(std::int64_t sample) const = 0;

 private:
  std::shared_ptr<const Index> index_;
};

// Images: [size, size, channels] bytes.
class ImageRows final : public Rows {
 public:
  ImageRows(
      std::shared_ptr<const Source> source,
      const TransformOptions& options);

  std::size_t bytes() const override { return transform_.bytes(); }
  int fill(std::int64_t epoch, std::int64_t sample, std::span<std::uint8_t> out)
      const override;
  std::string describe(std::int64_t sample) const override {
    return source_->describe(sample);
  }

 private:
  std::shared_ptr<const Source> source_;
  Transform transform_;
};

// Vectors: the features, then the targets, as native floats.
class VectorRows final : public Rows {
 public:
  using Rows::Rows;

  std::size_t bytes() const override {
    return static_cast<std::size_t>(
               index().options().features + index().options().targets) *
        sizeof(float);
  }
  int fill(std::int64_t epoch, std::int64_t sample, std::span<std::uint8_t> out)
      const override;
  std::string describe(std::int64_t sample) const override;
};

// Opens what an index lists. `options` is for images. Throws Error(kData) when
// files are gone.
std::unique_ptr<Rows> open_rows(
    std::shared_ptr<const Index> index,
    const TransformOptions& options);

} // namespace vitrain::data
