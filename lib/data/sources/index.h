#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_kind.h"
#include "data/sources/label_form.h"
#include "options/class_order.h"

namespace vitrain::data {

using vitrain::SourceKind;

// Returns true for kinds whose images are generated from a seed, not read from
// files.
inline bool is_generated(SourceKind kind) {
  return kind == SourceKind::kShapes || kind == SourceKind::kRandom;
}

// Description of a dataset, from a recipe.
struct SourceOptions {
  SourceKind kind = SourceKind::kFolder;
  // Path of the dataset. folder, cifar, mnist: a folder; list, vectors: a file
  // ("" generates vectors); tar: a file, a folder with .tar files, a folder
  // inside a file, or a pattern.
  std::string path;
  // Cifar, mnist: uses the training files, else the test files.
  bool train = true;
  std::int64_t count = 10000; // for generated data: number of images or rows
  // For generated images, and for mnist after listing: side in pixels.
  std::int64_t size = 32;
  std::int64_t seed = 0; // for generated data
  // Number of classes, for listing only. random: at least 1; list and tar with
  // numbers as labels and no class names: 0 derives it from the labels. A
  // listed Index has class names instead.
  std::int64_t classes = 1000;
  // vectors: numbers per row. For a file, listing sets `features` to the number
  // of columns before the last `targets`.
  std::int64_t features = 10;
  std::int64_t targets = 1;
  // The fields from here on are used only for listing.

  // folder, tar, list: order of the classes.
  ClassOrder class_order = ClassOrder::kTorchvision;
  // folder, tar, list: path of a file with one class name per line, in the
  // order of the class numbers; "": none.
  std::string class_map;
  // Selects one of several labels. cifar: "fine" or "coarse" of CIFAR-100; tar:
  // "cls" or "json:FIELD" of WebDataset's shards; "": the usual one.
  std::string label;
  // list: each sample has any number of labels, stored as further labels.
  bool multi_label = false;
  // Form of the training data's labels; used for evaluation data whose labels
  // could be both numbers and names. kNone: unknown.
  LabelForm trained_labels = LabelForm::kNone;
};

// The result of listing a dataset: classes, and each sample's label and
// location, or its content if the whole dataset is small. Stored as one block
// of bytes and read in place: the supervisor lists the dataset and writes
// bytes() to a memfd, and every worker maps the same pages. Immutable;
// thread-safe.
class Index {
 public:
  // A range of bytes in one of the files.
  struct Place {
    std::int64_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t file = 0;
  };
  // Result of a lister, before it is stored as a block (see index.cpp).
  struct Contents {
    SourceOptions options;
    std::vector<std::string> classes;
    std::int64_t samples = 0;
    // One per sample, or empty: the label of sample i is i % classes.
    std::vector<std::int32_t> labels;
    // Zero-terminated names. folder: one per sample, relative to the dataset's
    // folder. list: one per sample, as in the list. cifar: the files. mnist:
    // the file of images. tar: one per sample (of a tree of folders: without
    // the folders that all share), then the paths of the archives.
    std::string names;
    // Offset of each name in `names`.
    std::vector<std::uint64_t> name_starts;
    // cifar: index of the first sample of each file.
    std::vector<std::int64_t> file_starts;
    // tar: location of each sample.
    std::vector<Place> places;
    // mnist: pixels, [samples, size, size] bytes; vectors: numbers, [samples,
    // features + targets] float.
    std::string payload;
    // Further labels, any number per sample; used for ReaL labels
    // (real_labels.h) and by lists with multi_label, whose `labels` holds the
    // first one of each, or 0. Sample i has set_labels[set_starts[i]] up to,
    // but not including, set_labels[set_starts[i + 1]]. Empty: no further
    // labels.
    std::vector<std::uint64_t> set_starts;
    std::vector<std::int32_t> set_labels;
    // Classes that may be predicted (restrict_to_subset()), in rising order;
    // empty: all.
    std::vector<std::int32_t> subset;
    // Form in which the dataset writes its labels.
    LabelForm label_form = LabelForm::kNone;
    // Sentences for the user about skipped entries and other irregularities.
    std::vector<std::string> notes;

    // Appends a name to `names` and its offset to `name_starts`.
    void add_name(std::string_view name);
  };
  // Throws Error(kInternal) if the contents are inconsistent.
  explicit Index(Contents contents);

  // Reads a block in place; `owner` keeps its memory alive. Throws
  // Error(kInternal) if the bytes are not an index.
  Index(std::span<const char> bytes, std::shared_ptr<const void> owner);
  // Maps a file that contains a block (the supervisor's memfd). The descriptor
  // may be closed afterwards. Throws Error(kInternal) if that fails or the file
  // is no index.
  static Index map(int fd);

  // Returns the block, in native byte order, for the second constructor.
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

  const SourceOptions& options() const { return options_; }
  std::int64_t size() const { return samples_; }
  // Names of the classes; empty for vectors, which have targets instead.
  const std::vector<std::string>& classes() const { return classes_; }
  // Returns the form in which the dataset writes its labels; kNone if they are
  // not text.
  LabelForm label_form() const { return label_form_; }
  // Returns the class of a sample: 0 <= label < classes().size(). For lists
  // with multi_label its first label, or 0 if it has none. Not for vectors.
  std::int64_t label(std::int64_t sample) const;
  // Further labels of the samples (Contents::set_labels); call label_set() only
  // if has_label_sets() is true.
  bool has_label_sets() const { return !set_starts_.empty(); }
  std::span<const std::int32_t> label_set(std::int64_t sample) const;
  // Returns the classes that may be predicted, in rising order; empty: all.
  std::span<const std::int32_t> subset() const { return subset_; }
  // Number of all names in Contents::names, and one of them.
  std::int64_t names_count() const {
    return static_cast<std::int64_t>(name_starts_.size());
  }
  const char* name(std::int64_t i) const;
  std::span<const std::int64_t> file_starts() const { return file_starts_; }
  // Returns the location of a sample; for tar only.
  const Place& place(std::int64_t sample) const {
    return places_[static_cast<std::size_t>(sample)];
  }
  // Returns the part of the payload that belongs to a sample.
  std::string_view payload(std::int64_t sample) const;
  // Returns Contents::notes, one printable sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // Returns a hash of the content: kind, number of samples, classes, names,
  // labels, further labels, payload, subset and, for generated images, size and
  // seed. Equal for equal datasets, independent of their location: covers
  // neither the pixels in image files nor the names of archives and offsets in
  // them.
  std::uint64_t fingerprint() const;
  // Returns a hash of classes, labels and further labels in the order of the
  // samples, which does not change if files are renamed.
  std::uint64_t label_fingerprint() const;
  // list: returns the innermost folder that contains all images if their names
  // are absolute paths; else "".
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

// Appends the note "what: 1,234" if the count is not 0.
void add_note(
    std::vector<std::string>& notes,
    std::string_view what,
    std::int64_t count);

} // namespace vitrain::data
