#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_kind.h"
#include "data/sources/labels/label_form.h"
#include "options/class_order.h"

namespace vitrain::data {

using vitrain::SourceKind;

// Images that come from a seed, not from files.
inline bool is_generated(SourceKind kind) {
  return kind == SourceKind::kShapes || kind == SourceKind::kRandom;
}

// Where samples come from.
struct SourceOptions {
  SourceKind kind = SourceKind::kFolder;
  // folder, cifar, mnist: the folder; list, vectors: the file; tar: a file, a
  // folder of them, or a pattern
  std::string path;
  bool train = true; // cifar, mnist: the files for training, else for testing
  std::int64_t count = 10000; // generated: number of images or rows
  std::int64_t size = 32; // generated, and mnist once listed: side in pixels
  std::int64_t seed = 0; // generated
  // When listed. random: number of classes. list, tar with numbers as labels:
  // the same, or 0 for as many as the labels need. An index has names instead.
  std::int64_t classes = 1000;
  // vectors: numbers of a row; the features of a file are found in it.
  std::int64_t features = 10;
  std::int64_t targets = 1;
  // These matter when listed. folder, tar, list: see ClassOrder.
  ClassOrder class_order = ClassOrder::kTorchvision;
  // folder, tar, list: a file with the name of a class on each line, in the
  // order of their numbers, or "".
  std::string class_map;
  // Which of several labels. cifar: "fine" or "coarse" of CIFAR-100. tar:
  // "cls", or "json:FIELD", of WebDataset's shards. "" for the usual one.
  std::string label;
  // list: samples have any number of labels, which become further labels.
  bool multi_label = false;
  // How the training data write their labels, for evaluation data whose labels
  // could be both numbers and names; kNone: not known.
  LabelForm trained_labels = LabelForm::kNone;
};

// The result of listing a dataset: classes, and each sample's label and
// location, or its content if the whole dataset is small. One block of bytes,
// read in place: the supervisor lists and writes bytes() to a memfd, and every
// worker maps the same pages. Immutable; thread-safe.
class Index {
 public:
  // A range of bytes of one of the files.
  struct Place {
    std::int64_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t file = 0;
  };
  // Result of a lister; see index_layout in index.cpp.
  struct Contents {
    SourceOptions options;
    std::vector<std::string> classes;
    std::int64_t samples = 0;
    // One per sample, or empty: the label of sample i is i % classes.
    std::vector<std::int32_t> labels;
    // Zero-terminated names. folder: one per sample, relative to the class
    // folder. list: one per sample, as in the list. cifar: the files. tar: one
    // per sample, as in the archive, and then the archives.
    std::string names;
    // Where each of them starts.
    std::vector<std::uint64_t> name_starts;
    // cifar: the first sample of each file.
    std::vector<std::int64_t> file_starts;
    // tar: where each sample is.
    std::vector<Place> places;
    // mnist: pixels, [samples, size, size] bytes; vectors: numbers, [samples,
    // features + targets] float. Shared by all workers like the rest.
    std::string payload;
    // Further labels of the samples, any number of each (real_labels.h, lists
    // with multi_label, whose labels are the first of them, or 0): sample
    // i has those from set_starts[i] to set_starts[i + 1]. Empty: there are
    // none.
    std::vector<std::uint64_t> set_starts;
    std::vector<std::int32_t> set_labels;
    // The classes that may be predicted (subset.h), rising; empty: all.
    std::vector<std::int32_t> subset;
    // How the labels were written.
    LabelForm label_form = LabelForm::kNone;
    // Sentences about skipped entries, for the user.
    std::vector<std::string> notes;

    // Appends a name and its start.
    void add_name(std::string_view name);
  };
  explicit Index(Contents contents);

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
  // How the labels were written; kNone if they are not text.
  LabelForm label_form() const { return label_form_; }
  // Class of a sample: 0 <= label < classes().size().
  std::int64_t label(std::int64_t sample) const;
  // Further labels of a sample, if the dataset has any.
  bool has_label_sets() const { return !set_starts_.empty(); }
  std::span<const std::int32_t> label_set(std::int64_t sample) const;
  // The classes that may be predicted; empty: all.
  std::span<const std::int32_t> subset() const { return subset_; }
  std::int64_t names_count() const {
    return static_cast<std::int64_t>(name_starts_.size());
  }
  const char* name(std::int64_t i) const;
  std::span<const std::int64_t> file_starts() const { return file_starts_; }
  // tar: where a sample is.
  const Place& place(std::int64_t sample) const {
    return places_[static_cast<std::size_t>(sample)];
  }
  // The payload's share of one sample.
  std::string_view payload(std::int64_t sample) const;
  // Skipped entries of the listing, one printable sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // Equal for equal datasets wherever they lie: hash of kind, classes, names,
  // labels, payload, subset and, for generated data, its parameters. Not of the
  // pixels in image files, nor of where archives have them.
  std::uint64_t fingerprint() const;
  // The part of the fingerprint that data keep when their names change: hash of
  // classes and labels, in the order of the samples.
  std::uint64_t label_fingerprint() const;
  // list: the folder in which all images lie by their names, where these are
  // absolute; else "".
  std::string absolute_folder() const;

 private:
  void attach();
  void check_places() const;
  void check_sets() const;

  std::shared_ptr<const void> owner_;
  std::span<const char> bytes_;
  SourceOptions options_;
  std::int64_t samples_ = 0;
  LabelForm label_form_ = LabelForm::kNone;
  std::vector<std::string> classes_;
  std::vector<std::string> notes_;
  std::span<const std::int32_t> labels_;
  std::span<const std::uint64_t> name_starts_;
  std::span<const std::int64_t> file_starts_;
  std::span<const Place> places_;
  std::span<const std::uint64_t> set_starts_;
  std::span<const std::int32_t> set_labels_;
  std::span<const std::int32_t> subset_;
  std::string_view names_;
  std::string_view payload_;
};

// Adds "what: 1,234" for a count that is not 0.
void add_note(
    std::vector<std::string>& notes,
    std::string_view what,
    std::int64_t count);

// Lists a dataset. Throws Error(kData) naming the path and what to do.
Index list(const SourceOptions& options);

// Throws Error(kData) when nothing can be learned from the classes (only one).
void check_for_training(const Index& index);
// Throws Error(kData) naming the first difference when the class lists of
// training and evaluation data differ: labels would not mean the same. So too
// for the features and targets of vectors.
void check_same_classes(const Index& train, const Index& eval);

} // namespace vitrain::data
