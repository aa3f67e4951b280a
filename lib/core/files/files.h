#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"

namespace vitrain {

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

// The whole file; refuses what is not a regular file and what is larger than
// `limit` bytes. Never blocks on a FIFO. Throws Error(code) naming the path.
std::string
read_file(const std::filesystem::path& path, std::size_t limit, ExitCode code);
// The same into a buffer, whose memory is used again.
void read_file(
    const std::filesystem::path& path,
    std::size_t limit,
    ExitCode code,
    std::string& bytes);

// Waits until `events` of poll() are there, at most so long (0: not at all);
// whether they are.
bool wait_for_events(int fd, short events, double seconds);

// Loops over short writes. Returns 0 or the errno of the failure.
int write_all(int fd, const void* bytes, std::size_t size);
// Writes bytes to a new file, syncs and closes it. Returns 0 or an errno.
int write_durably(Fd fd, std::string_view bytes);

// Creates a file beside `path` for what will take its name when it is complete,
// and sets `part` to its name, PATH.part-1a2b3c4d, which no file had before.
// Without a descriptor, errno says why.
Fd create_part(const std::filesystem::path& path, std::filesystem::path& part);

// Replaces `path` by `bytes` such that a reader, and a crash at any instant,
// sees the old or the new content: temporary file beside it, fsync, rename,
// fsync of the folder. A symbolic link or a device in its place is replaced,
// too: a file that a user names is for results::OutputFile. Throws
// Error(kStorage).
void write_file_atomically(
    const std::filesystem::path& path,
    std::string_view bytes);

// fsync of a folder, so that the names in it are durable. Throws
// Error(kStorage).
void sync_folder(const std::filesystem::path& path);

// Creates missing folders (mode 0777 & ~umask). Throws Error(kStorage) with a
// path and the reason.
void make_folders(const std::filesystem::path& path);

// Absolute path of the running executable.
std::filesystem::path executable_path();

// The program that has torch, which `vitrain` beside it becomes (app/main.cpp).
inline constexpr const char* kProgramWithTorch = "vitrain_torch";

// Absolute path of what people start: the running executable, or `vitrain` in
// the place of the program with torch.
std::filesystem::path program_path();

// Text of an errno: "No such file or directory".
std::string error_text(int error_number);

} // namespace vitrain
