#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/sources/index.h"
#include "image/image.h"

namespace vitrain::data {

// The images of an index. All methods are thread-safe.
class Source {
 public:
  explicit Source(std::shared_ptr<const Index> index)
      : index_(std::move(index)) {}
  virtual ~Source() = default;

  std::int64_t size() const { return index_->size(); }
  std::int64_t label(std::int64_t sample) const {
    return index_->label(sample);
  }
  const std::vector<std::string>& classes() const { return index_->classes(); }
  const Index& index() const { return *index_; }
  const std::shared_ptr<const Index>& shared_index() const { return index_; }

  // The bytes of the sample's image file (JPEG, PNG, ...) into `bytes`, whose
  // memory is used again; or false, and `bytes` is left alone, when the source
  // has pixels and no files. The answer is the same for every sample of a
  // source. Throws Error(kData) that names the sample.
  virtual bool read(std::int64_t sample, std::string& bytes) const;
  // The decoded image: of the bytes of read(), unless a source that has pixels
  // overrides it. Throws Error(kData) that names the sample.
  virtual image::Image load(std::int64_t sample) const;
  // For sources without files and channel counts other than 1 or 3: returns the
  // sample as pictures (image/operations/channels.h). Throws Error(kData) if
  // the sample has another number of channels.
  virtual std::vector<image::Image> load_channels(
      std::int64_t sample,
      int channels) const;
  // Where the sample is, printable: a path, a file and record, or "shapes
  // image 17".
  virtual std::string describe(std::int64_t sample) const = 0;

 private:
  std::shared_ptr<const Index> index_;
};

// Opens the images that an index lists. Throws Error(kData) when files are
// gone.
std::unique_ptr<Source> open(std::shared_ptr<const Index> index);

} // namespace vitrain::data
