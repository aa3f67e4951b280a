#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What lies beside the checkpoints of a run: unfinished ones, and pointers.
namespace vitrain::checkpoint {

inline constexpr const char* kLatest = "latest";
inline constexpr const char* kBest = "best";
// Of folders that are being written or removed: ".<name>.tmp-<pid>"; and, at
// the end of a pointer's name, of write_file_atomically.
inline constexpr std::string_view kTemporary = ".tmp-";
inline constexpr std::string_view kReplaced = "replaced-";

// The process of a temporary name that a save made; none for other names.
std::optional<std::int64_t> temporary_owner(const std::string& name);

// Removes what saves of processes that are gone, or an earlier one of this
// process, left behind.
void remove_stale(const std::filesystem::path& folder);

struct Leftovers {
  std::int64_t folders = 0; // unfinished checkpoints
  double bytes = 0.0;
};

// Removes all that saves left behind, whoever made them: for the one process
// that writes to this folder. Returns what that was.
Leftovers remove_leftovers(const std::filesystem::path& folder);

// A folder in the place of `latest` or `best`, which would make every save
// fail, goes: an empty one is removed, another one renamed. Returns a sentence
// for each. Throws Error(kStorage).
std::vector<std::string> repair_pointers(const std::filesystem::path& folder);

} // namespace vitrain::checkpoint
