#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"

namespace vitrain {

// Owns a file descriptor and closes it; -1: none.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Returns the descriptor without closing it.
  int release();
  void reset();

 private:
  int fd_ = -1;
};

// Returns the content of a regular file. Never blocks on a FIFO. Throws
// Error(code) naming the path if the file is missing (then also the missing
// part of the path), not regular, larger than `limit` bytes or unreadable.
std::string
read_file(const std::filesystem::path& path, std::size_t limit, ExitCode code);
// As the other read_file(), for many files such as the images of a dataset:
// reuses the memory of `bytes`, and does not name the missing part of a path.
void read_file(
    const std::filesystem::path& path,
    std::size_t limit,
    ExitCode code,
    std::string& bytes);

// Waits at most `seconds` (0: not at all) until poll() reports one of `events`,
// an error or a hang-up. Returns true if it has reported something; false after
// that time, or earlier if a signal handler has run.
bool wait_for_events(int fd, short events, double seconds);

// Writes all bytes, with several calls if needed. Returns 0 or the errno of the
// failure.
int write_all(int fd, const void* bytes, std::size_t size);
// Writes bytes to an open file, syncs and closes it; does not sync its folder.
// Returns 0 or an errno.
int write_durably(Fd fd, std::string_view bytes);

// Creates a temporary file next to `path`, to be renamed to `path` when
// complete, and sets `part` to its unique name, PATH.part-1a2b3c4d. Returns an
// empty descriptor and sets errno on failure.
Fd create_part(const std::filesystem::path& path, std::filesystem::path& part);

// Replaces the content of `path` atomically: readers, also after a crash, see
// the old or the new content (temporary file PATH.tmp-PID, fsync, rename, fsync
// of the folder). Threads of a process must not write the same path at once. A
// symbolic link or a device at `path` is replaced; use results::OutputFile for
// files named by users. Throws Error(kStorage).
void write_file_atomically(
    const std::filesystem::path& path,
    std::string_view bytes);

// Syncs a folder to disk, so that the names in it are durable. Throws
// Error(kStorage).
void sync_folder(const std::filesystem::path& path);

// Creates a folder and its missing parents (mode 0777 & ~umask); an existing
// folder is no error. Throws Error(kStorage) with the path and the reason.
void make_folders(const std::filesystem::path& path);

// Returns the absolute path of the running executable; ends with " (deleted)"
// if the file was deleted or replaced.
std::filesystem::path executable_path();

// Name of the program that links torch. `vitrain` becomes this program by
// exec() for the verbs that need torch (app/main.cpp).
inline constexpr const char* kProgramWithTorch = "vitrain_torch";

// Returns the absolute path of the program that users start: the running
// executable, or if that is the program with torch, `vitrain` next to it.
std::filesystem::path program_path();

// Returns the text of an errno: "No such file or directory".
std::string error_text(int error_number);

} // namespace vitrain
