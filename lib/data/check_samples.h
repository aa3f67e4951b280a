#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/sources/index.h"
#include "image/formats/decode.h"

namespace vitrain::data {

// A problem with one sample.
struct SampleDefect {
  std::int64_t sample = 0;
  std::string where; // Source::describe(); printable
  std::string reason; // printable; does not repeat `where`
};

// Width and height in pixels: of one image, or the minimum or maximum of each
// over many images.
struct Extent {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// Report on one dataset (split).
struct SplitReport {
  std::string name; // "train", "eval"
  std::string path; // printable; empty: generated
  std::int64_t samples = 0;
  std::vector<std::string> classes;
  // Number of samples of each class; with label lists a sample counts for each
  // of its labels.
  std::vector<std::int64_t> class_counts;
  bool label_lists = false; // true: samples have any number of labels
  std::vector<std::string> notes; // Index::notes()
  // Total size of the files that were decoded without error; 0 for sources of
  // pixels.
  std::int64_t bytes = 0;
  // Number of image files of each format, such as "JPEG", that were decoded
  // without error.
  std::map<std::string, std::int64_t> formats;
  // Number of decoded images whose shorter side has [2^k, 2^(k+1)) pixels, by
  // k.
  std::map<int, std::int64_t> sizes;
  Extent smallest; // minimum width and minimum height; 0: no image decoded
  Extent largest; // maximum width and maximum height; 0: no image decoded
  // Samples that cannot be decoded, in their order.
  std::vector<SampleDefect> bad;
  // Decoded samples with RowDefects: decoder warnings or clipped values.
  std::vector<SampleDefect> warned;
};

// A group of samples, none of them bad, with equal content: equal encoded
// bytes; in datasets without files equal pixels or numbers.
struct Duplicates {
  struct Occurrence {
    int split = 0; // index into CheckReport::splits
    std::int64_t sample = 0;
    std::string where; // Source::describe(); printable
    std::vector<std::int32_t> labels; // distinct, rising; empty: none

    auto operator<=>(const Occurrence&) const = default;
  };
  // At least two, sorted by split and sample.
  std::vector<Occurrence> occurrences;

  bool across_splits() const {
    return occurrences.front().split != occurrences.back().split;
  }
  // Returns true if not all occurrences have the same labels.
  bool across_labels() const;
};

struct CheckReport {
  std::vector<SplitReport> splits;
  std::vector<Duplicates> duplicates; // sorted by their first occurrence
  double seconds = 0.0;

  // Returns true if no sample is bad.
  bool clean() const;
  // Returns the number of samples of split `of` with the same content as a
  // sample of split `in` (for of == in: as an earlier sample).
  std::int64_t repeated(int of, int in) const;
};

struct CheckOptions {
  int threads = 1;
  image::DecodeOptions decode;
  // 3 or 1: images are decoded to RGB; any other count: an image with another
  // number of channels is bad.
  int channels = 3;
  // Called about ten times a second and at the end, on the thread that called
  // check(), with the number of checked samples and of all samples over all
  // splits.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

// Reads and decodes every sample of the datasets, which are given as (name,
// index). The result does not depend on the number of threads. Throws
// Error(kData) if a file that holds a whole dataset cannot be opened, such as
// an archive.
CheckReport check(
    const std::vector<std::pair<std::string, std::shared_ptr<const Index>>>&
        splits,
    const CheckOptions& options);

} // namespace vitrain::data
