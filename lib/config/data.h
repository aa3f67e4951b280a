#pragma once

#include <array>
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

enum class BatchMode { kPerDevice, kGlobal };
enum class SamplerPolicy {
  kGlobal,
  kTorch,
  kPaddle,
  kShardThenShuffle,
  kSequential,
  kRepeated,
  kWeighted,
};
enum class LastBatch { kDrop, kKeep, kPad };
enum class Interpolation { kBilinear, kBicubic };
enum class TrainCrop { kNone, kPad, kResized };

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

// In which order samples are taken (docs/guide.md has the definitions).
struct SamplerConfig {
  SamplerPolicy policy = SamplerPolicy::kGlobal;
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::optional<bool> drop_tail;
  double repeats = 3.0;
  std::int64_t round = 256;
  std::string weights = "balanced";

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "policy",
        policy,
        "`global`: one permutation of the dataset per epoch, dealt to the "
        "workers; `sequential`: the dataset's own order; `torch`, `paddle`: "
        "the indices of DistributedSampler and DistributedBatchSampler; "
        "`shard_then_shuffle`: each worker keeps its own block of the dataset "
        "for the whole run; `repeated`: repeated augmentation, the indices of "
        "DeiT's RASampler; `weighted`: draws with replacement.");
    v.field(
        "shuffle",
        shuffle,
        "false: the samples stay in the dataset's own order. Not for "
        "`weighted`.");
    v.field(
        "last_batch",
        last_batch,
        "Samples that do not fill a global batch at the end of an epoch: "
        "`drop` them, `keep` a smaller batch (its gradient is the mean over "
        "the samples that there are), or `pad` it with samples from the start "
        "of the epoch.");
    v.field(
         "drop_tail",
         drop_tail,
         "`torch`, `shard_then_shuffle`: before there are batches, samples "
         "that do not make equal shares of the workers are dropped (true, "
         "DistributedSampler's own drop_last), or shares are filled from the "
         "first samples (false); `auto`: true with last_batch: drop.")
        .auto_value();
    v.field("repeats", repeats, "`repeated`: uses of a sample in an epoch.")
        .at_least(1.0)
        .at_most(1000.0);
    v.field(
         "round",
         round,
         "`repeated`: the samples of an epoch are rounded down to a multiple "
         "of this, where there are so many; 0: not.")
        .in_range(0, 1 << 30);
    v.field(
         "weights",
         weights,
         "`weighted`: `balanced` (every class is drawn equally often), or a "
         "text file with one number per line, for each class or for each "
         "sample.")
        .not_empty();
  }
};

// Pixels to network input, for training and evaluation alike. Vectors are given
// to the network as they are.
struct PreprocessConfig {
  std::array<double, 3> mean{0.485, 0.456, 0.406};
  std::array<double, 3> std{0.229, 0.224, 0.225};
  Interpolation interpolation = Interpolation::kBicubic;
  double crop_pct = 0.875;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "mean",
        mean,
        "Mean of red, green, blue, for pixels in [0, 1]; all three the same "
        "for a grey input.");
    v.field(
         "std",
         std,
         "Standard deviation of red, green, blue, for pixels in [0, 1].")
        .each_more_than(0.0);
    v.field(
        "interpolation",
        interpolation,
        "Filter of every resize (Pillow's, with antialias).");
    v.field(
         "crop_pct",
         crop_pct,
         "Evaluation: the shorter side is resized to floor(image_size / "
         "crop_pct) and the centre is cut out; 1 for images that have the "
         "right size already.")
        .more_than(0.0)
        .at_most(1.0);
  }
};

// Random changes to training images.
struct AugmentConfig {
  TrainCrop crop = TrainCrop::kResized;
  std::array<double, 2> scale{0.08, 1.0};
  std::array<double, 2> ratio{0.75, 4.0 / 3.0};
  std::int64_t padding = 4;
  double flip = 0.5;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "crop",
        crop,
        "`resized`: random resized crop; `pad`: random crop after padding "
        "with black; `none`: as in evaluation.");
    v.field("scale", scale, "`resized`: range of the crop's share of the area.")
        .each_more_than(0.0)
        .each_at_most(1.0)
        .ascending();
    v.field("ratio", ratio, "`resized`: range of width over height.")
        .each_more_than(0.0)
        .ascending();
    v.field("padding", padding, "`pad`: pixels on each side.")
        .in_range(0, 1024);
    v.field("flip", flip, "Probability of a horizontal flip.")
        .at_least(0.0)
        .at_most(1.0);
  }
};

struct DataConfig {
  SourceConfig train;
  // A seed of its own: generated images must not be the training images.
  SourceConfig eval{.seed = 1};
  std::int64_t batch_size = 128;
  BatchMode batch_mode = BatchMode::kPerDevice;
  std::optional<std::int64_t> eval_batch_size;
  SamplerConfig sampler;
  std::optional<std::int64_t> threads;
  PreprocessConfig preprocess;
  AugmentConfig augment;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.section("train", train, "Training samples.");
    v.section("eval", eval, "Evaluation samples.");
    v.field(
         "batch_size",
         batch_size,
         "Samples per step and micro-batch; see batch_mode.")
        .in_range(1, 1 << 20);
    v.field(
        "batch_mode",
        batch_mode,
        "`per_device`: batch_size is one device's share; `global`: it is the "
        "sum over the devices.");
    v.field(
         "eval_batch_size",
         eval_batch_size,
         "Samples per device and evaluation batch; `auto`: batch_size, with "
         "batch_mode: global at most 256. It does not depend on the number of "
         "devices, so that no bit of the result does.")
        .auto_value()
        .in_range(1, 1 << 20);
    v.section("sampler", sampler, "Order of the training samples.");
    v.field(
         "threads",
         threads,
         "Decoding threads per worker; `auto`: the worker's share of the cores "
         "on a GPU, one on a CPU.")
        .auto_value()
        .in_range(1, 1024);
    v.section("preprocess", preprocess, "Pixels to network input.");
    v.section("augment", augment, "Random changes to training images.");
  }
};

} // namespace vitrain::config
