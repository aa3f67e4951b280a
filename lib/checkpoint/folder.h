#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Entries of a run's checkpoints/ that are not complete checkpoints: the
// pointers `latest` and `best`, and partial checkpoints.
namespace vitrain::checkpoint {

inline constexpr const char* kLatest = "latest";
inline constexpr const char* kBest = "best";
// Substring of temporary names: of folders that are being written or removed,
// ".<name>.tmp-<pid>", and of pointers that are being written.
inline constexpr std::string_view kTemporary = ".tmp-";
// Prefix of <name> in the temporary name of an older checkpoint that one of the
// same step replaces: ".replaced-<name>.tmp-<pid>".
inline constexpr std::string_view kReplaced = "replaced-";

// Returns the name of the checkpoint that a pointer means: the target of a
// link, or the text of a file (on file systems without links, and from older
// versions) without white space around it. Throws Error(kStorage) if the
// pointer cannot be read.
std::string read_pointer(const std::filesystem::path& pointer);

// Returns the process id in the temporary name of a checkpoint or pointer;
// nullopt for other names.
std::optional<std::int64_t> temporary_owner(const std::string& name);

// Removes checkpoints and pointers with temporary names whose process id is
// this process's or belongs to no process of this machine. Ignores entries that
// cannot be removed.
void remove_stale(const std::filesystem::path& folder);

// Partial checkpoints that remove_leftovers() found.
struct Leftovers {
  std::int64_t folders = 0; // number of partial checkpoints
  double bytes = 0.0; // size of their files
};

// Removes the checkpoints and pointers with temporary names of all processes,
// as far as possible. May be called only by the process that holds the lock on
// the run.
Leftovers remove_leftovers(const std::filesystem::path& folder);

// Removes folders named `latest` or `best`, which would make every save fail:
// an empty one is deleted, any other is renamed to NAME.folder-1, -2, ....
// Returns a sentence for each. Throws Error(kStorage) if renaming fails.
std::vector<std::string> repair_pointers(const std::filesystem::path& folder);

} // namespace vitrain::checkpoint
