#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "config/sections/augment.h"
#include "config/sections/bad_samples.h"
#include "config/sections/preprocess.h"
#include "config/sections/sampler.h"
#include "config/sections/source.h"
#include "core/enum_names.h"

namespace vitrain::config {

enum class BatchMode { kPerDevice, kGlobal };
constexpr auto names_of(BatchMode) {
  using enum BatchMode;
  return enum_names<BatchMode>(
      {{kPerDevice, "per_device"}, {kGlobal, "global"}});
}

struct DataConfig {
  SourceConfig train;
  // A different seed: generated evaluation images must differ from training
  // images.
  SourceConfig eval{.seed = 1};
  std::int64_t batch_size = 128;
  BatchMode batch_mode = BatchMode::kPerDevice;
  std::optional<std::int64_t> eval_batch_size;
  SamplerConfig sampler;
  std::optional<std::int64_t> threads;
  OnBadSample on_bad_sample = OnBadSample::kError;
  DecoderWarnings decoder_warnings = DecoderWarnings::kCount;
  BadSamplesConfig bad_samples;
  std::int64_t max_pixels = 178'956'970;
  std::int64_t decode_memory_mb = 1024;
  PreprocessConfig preprocess;
  AugmentConfig augment;
  std::optional<double> split;
  std::optional<std::int64_t> split_seed;
  std::optional<std::array<std::int64_t, 2>> fold;
  std::optional<double> fraction;
  std::optional<std::int64_t> per_class;

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
    v.field(
        "on_bad_sample",
        on_bad_sample,
        "A training sample that cannot be read: `error` ends the run with exit "
        "code 3; `replace` puts another sample in its place, a function of "
        "run.seed, epoch and sample, and lists it in bad_samples.jsonl. In "
        "evaluation it is an error always.");
    v.field(
        "decoder_warnings",
        decoder_warnings,
        "Defects that a decoder can work around, such as extraneous bytes: "
        "`count`, or `reject` the sample as bad.");
    v.section("bad_samples", bad_samples, "Limits of on_bad_sample: replace.")
        .needs("data.on_bad_sample", on_bad_sample, OnBadSample::kReplace);
    v.field(
         "max_pixels",
         max_pixels,
         "An image with more pixels is a bad sample (Pillow refuses from twice "
         "its MAX_IMAGE_PIXELS on, which is this number).")
        .in_range(1, std::int64_t{1} << 31);
    v.field(
         "decode_memory_mb",
         decode_memory_mb,
         "MiB that a worker's threads may use together for decoding: a large "
         "image waits until other images are decoded.")
        .in_range(1, 1 << 20);
    v.section("preprocess", preprocess, "Pixels to network input.");
    v.section("augment", augment, "Random changes to training images.");
    v.field(
         "split",
         split,
         "`folder`, `list`, `tar` and `vectors` without evaluation data: this "
         "share of data.train, of every class alike, is evaluated and not "
         "trained on. Which samples these are depends on their names and "
         "split_seed; the run folder lists them in held_out.txt.")
        .more_than(0.0)
        .at_most(0.9);
    v.field(
         "split_seed",
         split_seed,
         "Which part data.split holds out, and data.fraction and "
         "data.per_class take; `auto`: run.seed.")
        .auto_value()
        .at_least(0);
    v.field(
         "fold",
         fold,
         "[k, n], for cross validation: data.split is 1 / n, and holds out "
         "part k (from 1) of n parts of equal size, which have no sample in "
         "common.")
        .in_range(1, 1000);
    v.field(
         "fraction",
         fraction,
         "`folder`, `list`, `tar` and `vectors`: train on this share of every "
         "class only. A larger share has all samples of a smaller one.")
        .more_than(0.0)
        .at_most(1.0);
    v.field(
         "per_class",
         per_class,
         "The same as a number of samples of every class, at most.")
        .in_range(1, 1 << 30);
  }
};

} // namespace vitrain::config
