#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "checkpoint/retention.h"

// Writing of checkpoint folders. All functions throw Error(kStorage).
namespace vitrain::checkpoint {

// Creates a file, lets `write` fill it through its descriptor, and syncs it to
// storage. `write` returns 0 or an errno.
void write_new_file(
    const std::filesystem::path& path,
    const std::function<int(int fd)>& write);

// Adds a checkpoint of `step` to `folder`, a run's checkpoints/, which is
// created if necessary; replaces one of the same step. `fill` writes its synced
// files, manifest.json last, to a temporary folder, which is verified and then
// renamed: the checkpoint appears completely or not at all, even if the process
// is killed. First removes partial checkpoints of dead processes and repairs
// pointers (repair_pointers()). Calls `may_write` when the checkpoint is
// complete, before it gets its final name, and again after that; its exceptions
// are passed on. If the first call throws, the new checkpoint is discarded.
// Returns the checkpoint's folder.
std::filesystem::path place(
    const std::filesystem::path& folder,
    std::int64_t step,
    const std::function<void(const std::filesystem::path& temporary)>& fill,
    const std::function<void()>& may_write);

// Copies a checkpoint to `folder` as place() does. Also throws Error(kWeights)
// if its manifest cannot be read.
std::filesystem::path copy(
    const std::filesystem::path& checkpoint,
    const std::filesystem::path& folder,
    const std::function<void()>& may_write = [] {});

// Makes the pointer `name` in `folder` a link to the checkpoint of `step`,
// atomically; a text file with its name if the file system has no links.
void point(
    const std::filesystem::path& folder,
    const char* name,
    std::int64_t step);

// Points `latest` in `folder` at the checkpoint of step `saved` and `best` at
// the best checkpoint (deletes `best` if none has a metric), and removes old
// checkpoints. Returns a sentence about those that cannot be removed, or "".
std::string keep(
    const std::filesystem::path& folder,
    const RetentionOptions& options,
    std::int64_t saved);

} // namespace vitrain::checkpoint
