#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/source_kind.h"
#include "options/class_order.h"

namespace vitrain::config {

using vitrain::SourceKind;

struct SourceConfig;

// Returns true if the data are generated from a seed, not read from files.
inline bool is_generated(const SourceConfig& source);

// Source of the samples.
struct SourceConfig {
  SourceKind kind = SourceKind::kFolder;
  std::optional<std::string> path;
  ClassOrder class_order = ClassOrder::kTorchvision;
  std::optional<std::string> class_map;
  std::optional<std::string> label;
  bool multi_label = false;
  std::int64_t count = 10000;
  std::int64_t size = 32;
  std::int64_t classes = 1000;
  std::int64_t features = 10;
  std::int64_t targets = 1;
  std::int64_t seed = 0;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "kind",
        kind,
        "`folder`: one sub-folder of images per class; `list`: a text file "
        "with an image and its label on each line, or a .csv file; `tar`: "
        "images in tar files, which stay packed; `cifar`: the binary "
        "distribution of CIFAR-10 or CIFAR-100; `mnist`: the IDX files of "
        "MNIST or Fashion-MNIST; `shapes`: generated images that can be "
        "learned; `random`: noise, for timing; `vectors`: rows of numbers for "
        "regression, from a file or, without path, normally distributed.");
    v.field(
        "path",
        path,
        "The folder, or the text file of `list`; relative to the working "
        "directory. Required by every kind that is not generated. `tar`: a "
        "file, a folder of them, or a pattern (`train-{000..146}.tar`, "
        "`*.tar`); may go on inside one file (`all.tar/train`). `vectors`: a "
        ".csv or .npy file, whose last columns are the targets.");
    v.field(
         "class_order",
         class_order,
         "`folder`, `tar`, and `list` with names as labels. `torchvision`: the "
         "sub-folders are the classes, in byte order; `timm`: every folder "
         "with images is one, by the last part of its path, in natural order "
         "(`a2` before `A10`). Samples follow in the same order.")
        .needs(
            "kind",
            kind,
            SourceKind::kFolder,
            SourceKind::kList,
            SourceKind::kTar);
    v.field(
        "class_map",
        class_map,
        "`folder`, `tar`, `list`: a text file with one class name per line, "
        "in the order of their numbers, instead of `class_order`; folders "
        "that it does not name are left out. Relative to the working "
        "directory, or else to the dataset's folder.");
    v.field(
        "label",
        label,
        "Selects one of several labels. `cifar`: `fine` (the usual one) or "
        "`coarse`, of CIFAR-100. `tar`: `cls`, the .cls file of an image, or "
        "`json:FIELD`, a field of its .json file; by default the image's "
        "folder, or `cls` if there are such files.");
    v.field(
        "multi_label",
        multi_label,
        "`list`: images have any number of labels, separated by commas in a "
        "list, as in `a.jpg 3,17`, and by semicolons, bars or blanks in a "
        ".csv field; a hyphen or an empty field stands for no label. For "
        "train.loss: binary_cross_entropy or focal; evaluations report `map`.");
    visit_generated(v);
  }

 private:
  template <typename Visitor>
  void visit_generated(Visitor& v) {
    const char* const kGenerated =
        "kind: shapes, random or, without path, vectors";
    const auto generated = [this] { return is_generated(*this); };
    v.field("count", count, "Generated: number of images or rows.")
        .in_range(1, 1 << 30)
        .needs(kGenerated, generated);
    v.field("size", size, "`shapes`, `random`: side of the images in pixels.")
        .in_range(8, 1024)
        .needs("kind", kind, SourceKind::kShapes, SourceKind::kRandom);
    v.field("classes", classes, "`random`: number of classes.")
        .in_range(2, 1 << 20)
        .needs("kind", kind, SourceKind::kRandom);
    v.field("features", features, "`vectors` without path: inputs of a row.")
        .in_range(1, 1 << 16)
        .needs("kind: vectors, without path", [this] {
          return kind == SourceKind::kVectors && !path;
        });
    v.field(
         "targets",
         targets,
         "`vectors`: values to predict, in the columns after them.")
        .in_range(1, 1 << 16)
        .needs("kind", kind, SourceKind::kVectors);
    v.field(
         "seed",
         seed,
         "Generated: seed of the data; give training and evaluation different "
         "ones.")
        .at_least(0)
        .needs(kGenerated, generated);
  }
};

inline bool is_generated(const SourceConfig& source) {
  return source.kind == SourceKind::kShapes ||
      source.kind == SourceKind::kRandom ||
      (source.kind == SourceKind::kVectors && !source.path);
}

} // namespace vitrain::config
