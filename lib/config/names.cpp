#include "config/names.h"

#include <array>

#include "config/recipe.h"

namespace vitrain::config {
namespace {

// One table per enumeration: the order is that of the enumerators.
template <typename... Names>
constexpr std::array<std::string_view, sizeof...(Names)> names(
    Names... values) {
  return {values...};
}

constexpr auto kDeterminism = names("fast");
constexpr auto kDeviceKind = names("auto", "cuda", "cpu");
constexpr auto kHeadInit = names("auto", "load", "fresh");
constexpr auto kSourceKind = kSourceKindNames;
constexpr auto kClassOrder = names("torchvision", "timm");
constexpr auto kBatchMode = names("per_device", "global");
constexpr auto kSamplerPolicy = names(
    "global",
    "torch",
    "paddle",
    "shard_then_shuffle",
    "sequential",
    "repeated",
    "weighted");
constexpr auto kLastBatch = names("drop", "keep", "pad");
constexpr auto kOnBadSample = names("error", "replace");
constexpr auto kDecoderWarnings = names("count", "reject");
constexpr auto kAugmentInterpolation =
    names("nearest", "bilinear", "bicubic", "random");
constexpr auto kMixMode = names("batch", "pair", "elem");
constexpr auto kEraseMode = names("const", "rand", "pixel");
constexpr auto kFilter =
    names("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos");
constexpr auto kCropMode = names("center", "squash", "border");
constexpr auto kTrainCrop = names("none", "pad", "resized", "rkrr", "rkrc");
constexpr auto kTrainInterpolation = names(
    "same",
    "random",
    "nearest",
    "box",
    "bilinear",
    "hamming",
    "bicubic",
    "lanczos");
constexpr auto kOptimKind = names("adamw", "sgd");
constexpr auto kScheduleKind = names("cosine", "step", "constant");
constexpr auto kScaleRule = names("none", "linear", "sqrt");
constexpr auto kScheduleUnit = names("step", "epoch");
constexpr auto kPrecision = names("auto", "fp32", "tf32", "bf16");
constexpr auto kLossKind =
    names("cross_entropy", "binary_cross_entropy", "mse");
constexpr auto kOnNonFinite = names("stop");
constexpr auto kMkl = names("auto", "plain");
constexpr auto kDistMode = names("processes", "single_process");
constexpr auto kBackend = names("auto", "gloo", "nccl");
constexpr auto kSyncMode = names(
    "allreduce",
    "delayed_allreduce",
    "local_sgd",
    "post_local_sgd",
    "hierarchical_sgd",
    "diloco",
    "overlap_average",
    "async_ps",
    "hogwild");
constexpr auto kCompress = names("none", "bf16", "fp16", "powersgd");
constexpr auto kOnStale = names("wait", "drop");
constexpr auto kBatchNormStatistics = names("local", "broadcast", "sync");
constexpr auto kSyncAverage = names("parameters", "parameters_and_optimizer");
constexpr auto kMetric = names("top1", "top5", "loss");
constexpr auto kLogCount = names("run", "epoch");
constexpr auto kLogRanks = names("main", "all");
constexpr auto kProgressKind = names("auto", "line", "plain", "off");

} // namespace

#define VITRAIN_ENUM_NAMES(type)                       \
  template <>                                          \
  std::span<const std::string_view> names_of<type>() { \
    return k##type;                                    \
  }

VITRAIN_ENUM_NAMES(Determinism)
VITRAIN_ENUM_NAMES(DeviceKind)
VITRAIN_ENUM_NAMES(HeadInit)
VITRAIN_ENUM_NAMES(SourceKind)
VITRAIN_ENUM_NAMES(ClassOrder)
VITRAIN_ENUM_NAMES(BatchMode)
VITRAIN_ENUM_NAMES(SamplerPolicy)
VITRAIN_ENUM_NAMES(LastBatch)
VITRAIN_ENUM_NAMES(OnBadSample)
VITRAIN_ENUM_NAMES(DecoderWarnings)
VITRAIN_ENUM_NAMES(Filter)
VITRAIN_ENUM_NAMES(AugmentInterpolation)
VITRAIN_ENUM_NAMES(CropMode)
VITRAIN_ENUM_NAMES(TrainCrop)
VITRAIN_ENUM_NAMES(MixMode)
VITRAIN_ENUM_NAMES(EraseMode)
VITRAIN_ENUM_NAMES(TrainInterpolation)
VITRAIN_ENUM_NAMES(OptimKind)
VITRAIN_ENUM_NAMES(ScheduleKind)
VITRAIN_ENUM_NAMES(ScaleRule)
VITRAIN_ENUM_NAMES(ScheduleUnit)
VITRAIN_ENUM_NAMES(Precision)
VITRAIN_ENUM_NAMES(LossKind)
VITRAIN_ENUM_NAMES(OnNonFinite)
VITRAIN_ENUM_NAMES(Mkl)
VITRAIN_ENUM_NAMES(DistMode)
VITRAIN_ENUM_NAMES(Backend)
VITRAIN_ENUM_NAMES(SyncMode)
VITRAIN_ENUM_NAMES(Compress)
VITRAIN_ENUM_NAMES(OnStale)
VITRAIN_ENUM_NAMES(BatchNormStatistics)
VITRAIN_ENUM_NAMES(SyncAverage)
VITRAIN_ENUM_NAMES(Metric)
VITRAIN_ENUM_NAMES(LogCount)
VITRAIN_ENUM_NAMES(LogRanks)
VITRAIN_ENUM_NAMES(ProgressKind)

#undef VITRAIN_ENUM_NAMES

} // namespace vitrain::config
