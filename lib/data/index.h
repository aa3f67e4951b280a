#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::data {

// The values are part of an index's bytes and of fingerprints in checkpoints:
// do not change them.
enum class SourceKind : std::int32_t {
  kFolder = 0,
  kShapes = 1,
  kCifar = 2,
  kRandom = 3,
  kList = 4,
  kMnist = 5,
  kVectors = 6,
};

// Images that come from a seed, not from files.
inline bool is_generated(SourceKind kind) {
  return kind == SourceKind::kShapes || kind == SourceKind::kRandom;
}

// Where samples come from.
struct SourceOptions {
  SourceKind kind = SourceKind::kFolder;
  // folder, cifar, mnist: the folder; list, vectors: the file
  std::string path;
  bool train = true; // cifar, mnist: the files for training, else for testing
  std::int64_t count = 10000; // generated: number of images or rows
  std::int64_t size = 32; // generated, and mnist once listed: side in pixels
  std::int64_t seed = 0; // generated
  // random, list, when listed: number of classes (list: 0 takes as many as the
  // labels need). An index has their names instead.
  std::int64_t classes = 1000;
  // vectors: numbers of a row; the features of a file are found in it.
  std::int64_t features = 10;
  std::int64_t targets = 1;
};

// The result of listing a dataset once: classes, and for every sample its label
// and where it is, or what it is where the whole dataset is small. It is one
// block of bytes, read in place: the supervisor lists, writes bytes() to a
// memfd, and every worker maps the same pages. Immutable; thread-safe.
class Index {
 public:
  // What a lister hands over; see index_layout in index.cpp.
  struct Contents {
    SourceOptions options;
    std::vector<std::string> classes;
    std::int64_t samples = 0;
    // One per sample, or empty: the label of sample i is i % classes.
    std::vector<std::int32_t> labels;
    // Zero-terminated names. folder: one per sample, relative to the class
    // folder. list: one per sample, as in the list. cifar: the files.
    std::string names;
    // folder, list: where each sample's name starts; cifar: where each file's
    // name starts.
    std::vector<std::uint64_t> name_starts;
    // cifar: the first sample of each file.
    std::vector<std::int64_t> file_starts;
    // mnist: pixels, [samples, size, size] bytes; vectors: numbers, [samples,
    // features + targets] float. Shared by all workers like the rest.
    std::string payload;
    // Sentences for the reader about what was skipped.
    std::vector<std::string> notes;
  };
  explicit Index(const Contents& contents);

  // Reads bytes in place; `owner` keeps them alive. Throws Error(kInternal)
  // when they are not an index.
  Index(std::span<const char> bytes, std::shared_ptr<const void> owner);
  // Maps a file (the supervisor's memfd); the descriptor may be closed after.
  static Index map(int fd);

  // The block that the second constructor reads, in native byte order.
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

  const SourceOptions& options() const { return options_; }
  std::int64_t size() const { return samples_; }
  // Empty for vectors, which have targets instead.
  const std::vector<std::string>& classes() const { return classes_; }
  // Class of a sample: 0 <= label < classes().size().
  std::int64_t label(std::int64_t sample) const;
  std::int64_t names_count() const {
    return static_cast<std::int64_t>(name_starts_.size());
  }
  const char* name(std::int64_t i) const;
  std::span<const std::int64_t> file_starts() const { return file_starts_; }
  // The payload's share of one sample.
  std::string_view payload(std::int64_t sample) const;
  // What the listing skipped, one sentence each, printable.
  const std::vector<std::string>& notes() const { return notes_; }
  // Equal for equal datasets wherever they lie: hash of kind, classes, names,
  // labels, payload and, for generated data, its parameters. Not of the pixels
  // in image files.
  std::uint64_t fingerprint() const;

 private:
  void attach();

  std::shared_ptr<const void> owner_;
  std::span<const char> bytes_;
  SourceOptions options_;
  std::int64_t samples_ = 0;
  std::vector<std::string> classes_;
  std::vector<std::string> notes_;
  std::span<const std::int32_t> labels_;
  std::span<const std::uint64_t> name_starts_;
  std::span<const std::int64_t> file_starts_;
  std::string_view names_;
  std::string_view payload_;
};

// Lists a dataset. Throws Error(kData) naming the path and what to do.
Index list(const SourceOptions& options);

// Throws Error(kData) when nothing can be learned from the classes (only one).
void check_for_training(const Index& index);
// Throws Error(kData) naming the first difference when the class lists of
// training and evaluation data differ: labels would not mean the same. So too
// for the features and targets of vectors.
void check_same_classes(const Index& train, const Index& eval);

} // namespace vitrain::data
