#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace at {
class Tensor;
} // namespace at

namespace vitrain::states {

// Returns an upper estimate of a checkpoint's size in bytes. `optimizer`: all
// tensors besides the model's, also averaged weights. Uses only names, shapes
// and dtypes.
double checkpoint_bytes(
    const std::map<std::string, at::Tensor>& model,
    const std::map<std::string, at::Tensor>& optimizer);

// Returns the bytes that this user can still write to the file system of
// `folder`, or of its nearest existing parent; nullopt if unknown. Ignores
// quotas.
std::optional<double> free_bytes(const std::filesystem::path& folder);

// Returns the bytes that must be free before the first step of a run: three
// checkpoints minus those in `folder`, which will be replaced, but at least one
// checkpoint; plus `logs`. `checkpoint`: bytes of one checkpoint; `logs`: bytes
// of all logs.
double needed_bytes(
    const std::filesystem::path& folder,
    double checkpoint,
    double logs);

// Throws Error(kStorage), with both numbers, if fewer than `bytes`, or too few
// inodes for a checkpoint and the logs, are free in the file system of
// `folder`; passes if they are unknown. `what`: their purpose, "three
// checkpoints and the logs".
void check_space(
    const std::filesystem::path& folder,
    double bytes,
    const std::string& what);

} // namespace vitrain::states
