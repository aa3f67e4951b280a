#include "data/sources/source.h"

#include "core/check.h"
#include "image/formats/decode.h"

namespace vitrain::data {

bool Source::read(std::int64_t /*sample*/, std::string& /*bytes*/) const {
  return false;
}

image::Image Source::load(std::int64_t sample) const {
  // Reused by each thread: a new buffer for every image would be zeroed, and
  // its memory returned to the system, each time.
  thread_local std::string bytes;
  VITRAIN_CHECK(
      read(sample, bytes),
      ExitCode::kInternal,
      "{}: a source has files or pixels",
      describe(sample));
  try {
    return image::decode(image::bytes_of(bytes));
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", describe(sample), error.what());
  }
}

std::vector<image::Image> Source::load_channels(
    std::int64_t sample,
    int channels) const {
  fail_data(
      "{}: has colours or grey, and {} channels are wanted",
      describe(sample),
      channels);
}

} // namespace vitrain::data
