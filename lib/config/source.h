#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vitrain::config {

enum class SourceKind {
  kFolder,
  kShapes,
  kCifar,
  kRandom,
  kList,
  kMnist,
  kVectors,
};

// Where samples come from.
struct SourceConfig {
  SourceKind kind = SourceKind::kFolder;
  std::optional<std::string> path;
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
        "with an image and its label on each line; `cifar`: the binary "
        "distribution of CIFAR-10; `mnist`: the IDX files of MNIST or "
        "Fashion-MNIST; `shapes`: generated images that can be learned; "
        "`random`: noise, for timing; `vectors`: rows of numbers for "
        "regression, from a file or, without path, normally distributed.");
    v.field(
        "path",
        path,
        "The folder, or the text file of `list`; relative to the working "
        "directory. Needed by `folder`, `list`, `cifar` and `mnist`. "
        "`vectors`: a .csv or .npy file, whose last columns are the targets.");
    v.field("count", count, "Generated: number of images or rows.")
        .in_range(1, 1 << 30);
    v.field("size", size, "`shapes`, `random`: side of the images in pixels.")
        .in_range(8, 1024);
    v.field("classes", classes, "`random`: number of classes.")
        .in_range(2, 1 << 20);
    v.field("features", features, "`vectors` without path: inputs of a row.")
        .in_range(1, 1 << 16);
    v.field("targets", targets, "`vectors`: values to predict, behind them.")
        .in_range(1, 1 << 16);
    v.field(
         "seed",
         seed,
         "Generated: seed of the data; give training and evaluation different "
         "ones.")
        .at_least(0);
  }
};

// The data come from a seed, not from files.
inline bool is_generated(const SourceConfig& source) {
  return source.kind == SourceKind::kShapes ||
      source.kind == SourceKind::kRandom ||
      (source.kind == SourceKind::kVectors && !source.path);
}

} // namespace vitrain::config
