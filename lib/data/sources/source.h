#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/sources/index.h"
#include "image/image.h"

namespace vitrain::data {

// Access to the images of an index. All methods are thread-safe.
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

  // Reads the sample's image file (JPEG, PNG, ...) into `bytes`, reusing its
  // memory, and returns true. Returns false and leaves `bytes` unchanged if the
  // source has pixels instead of files; the result is the same for all samples
  // of a source. Throws Error(kData) naming the sample.
  virtual bool read(std::int64_t sample, std::string& bytes) const;
  // Returns the decoded image: by default decodes the bytes of read() with the
  // default DecodeOptions; sources with pixels override it. Throws Error(kData)
  // or Error(kOutOfMemory), naming the sample.
  virtual image::Image load(std::int64_t sample) const;
  // For sources without files and for channel counts other than 1 and 3:
  // returns the sample as pictures (image/operations/channels.h). Throws
  // Error(kData) if the sample has another number of channels.
  virtual std::vector<image::Image> load_channels(
      std::int64_t sample,
      int channels) const;
  // Returns the sample's location as printable text: a path, a file and record,
  // or "shapes image 17".
  virtual std::string describe(std::int64_t sample) const = 0;

 private:
  std::shared_ptr<const Index> index_;
};

} // namespace vitrain::data
