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

// Something to say about one sample.
struct Finding {
  std::int64_t sample = 0;
  std::string where; // printable
  std::string reason; // printable, without where
};

// Numbers of pixels: of one image, or smallest, largest and sums of many.
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
  std::vector<std::int64_t> class_counts; // samples with each class's label
  bool label_lists = false; // samples have any number of labels
  std::vector<std::string> notes; // Index::notes()
  std::int64_t bytes = 0; // of encoded files
  std::map<std::string, std::int64_t> formats; // "JPEG" -> images
  // Images whose shorter side has [2^k, 2^(k+1)) pixels, by k.
  std::map<int, std::int64_t> sizes;
  Extent smallest; // least width and least height, of any image
  Extent largest;
  std::vector<Finding> bad; // cannot be decoded, in the order of samples
  std::vector<Finding> warned; // RowDefects
};

// Samples with equal content: encoded bytes, or pixels of datasets without
// files.
struct Duplicates {
  struct Place {
    int split = 0; // index into Report::splits
    std::int64_t sample = 0;
    std::string where; // printable
    std::vector<std::int32_t> labels; // rising; empty: there are none

    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places; // at least two, by split and sample

  bool across_splits() const {
    return places.front().split != places.back().split;
  }
  bool across_labels() const;
};

struct CheckReport {
  std::vector<SplitReport> splits;
  std::vector<Duplicates> duplicates; // by first place
  double seconds = 0.0;

  // No sample is bad.
  bool clean() const;
  // Samples of split `of` whose content another sample of split `in` has (for
  // of == in: each but the first).
  std::int64_t repeated(int of, int in) const;
};

struct CheckOptions {
  int threads = 1;
  image::DecodeOptions decode;
  int channels = 3; // of TransformOptions
  // Called by the caller's thread about ten times a second, and at the end,
  // with the samples done and their number, over all splits.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

// Reads and decodes every sample of the datasets, each given with its name. The
// result does not depend on the number of threads. Throws Error(kData) when
// files are gone as a whole, such as an archive that cannot be opened.
CheckReport check(
    const std::vector<std::pair<std::string, std::shared_ptr<const Index>>>&
        splits,
    const CheckOptions& options);

} // namespace vitrain::data
