#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "data/augment/draw.h"
#include "data/sources/index.h"

namespace vitrain::data {

struct TransformOptions;

// Deviations of a row from the content of its sample's file.
struct RowDefects {
  int warnings = 0; // defects that the decoder worked around
  bool clipped = false; // values of more than 8 bits were clipped
};

// Converts the samples of an index to rows of batches: transformed pixels, or
// numbers. All methods are thread-safe.
class Rows {
 public:
  // Buffers, tables and decoders that a thread reuses between rows. Created by
  // make_scratch() of the Rows object that uses it; used by one thread at a
  // time.
  struct Scratch {
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    virtual ~Scratch() = default;
  };

  explicit Rows(std::shared_ptr<const Index> index)
      : index_(std::move(index)) {}
  virtual ~Rows() = default;

  const Index& index() const { return *index_; }
  // Size of one row in bytes.
  virtual std::size_t bytes() const = 0;
  virtual std::unique_ptr<Scratch> make_scratch() const {
    return std::make_unique<Scratch>();
  }
  // Writes the row of a draw's sample to `out`, which has size bytes(). A pure
  // function of the draw, independent of earlier uses of `scratch`. Throws
  // Error(kData) naming the sample if it cannot be read, Error(kOutOfMemory) if
  // a decoder lacks memory; the content of `out` is then unspecified.
  virtual RowDefects fill(
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const = 0;
  // Returns the sample's location as printable text for messages.
  virtual std::string describe(std::int64_t sample) const = 0;

 private:
  std::shared_ptr<const Index> index_;
};

// Opens the dataset of an index. `options` applies only to images. Throws
// Error(kData) if a file that holds many samples, such as an archive, cannot be
// opened.
std::unique_ptr<Rows> open_rows(
    std::shared_ptr<const Index> index,
    const TransformOptions& options);

} // namespace vitrain::data
