#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/system/files.h"

namespace vitrain::launch {

// Opens /dev/null for reading on each of the descriptors 0, 1 and 2 that is
// closed, so that no file or socket opened later gets their numbers; writing to
// them still fails. Call it first in main().
void open_missing_standard_streams();

// Returns the descriptor itself if its number is above 2, else a copy that is,
// close-on-exec, so that it survives the set-up of a worker's standard streams.
// Throws Error(kInternal).
Fd above_standard_streams(Fd fd);

// Returns a copy of `fd` with a number above 2, close-on-exec; opens /dev/null
// if `fd` is closed. Throws Error(kInternal) if that fails.
Fd duplicate_or_null(int fd);

// Pipe between this process and a child. Both ends have numbers above 2 and are
// close-on-exec.
struct Pipe {
  Fd read;
  Fd write;
};
// Creates a pipe. Throws Error(kUsage) with the message that `child` cannot be
// started.
Pipe make_pipe(const char* child);

// Writes as much of `text` as fits without blocking on the reader of `fd`; the
// rest is lost. Async-signal-safe; the process must ignore SIGPIPE.
void write_ready(int fd, std::string_view text);

// Sets or clears close-on-exec. Throws Error(kInternal) if `fd` is closed.
void set_close_on_exec(int fd, bool on);

// Returns a sealed anonymous memory file with content `bytes`: processes that
// inherit it cannot change or resize it. The name appears in /proc only. Throws
// Error(kInternal), Error(kOutOfMemory).
Fd make_memfd(const std::string& name, std::string_view bytes);

// Returns an anonymous memory file of `size` zero bytes. Processes that inherit
// it may write to it; its size is sealed. Throws Error(kInternal).
Fd make_shared_memory(const std::string& name, std::size_t size);

struct Unmap {
  std::size_t size = 0;
  void operator()(void* address) const;
};

// Maps a whole file into memory until destruction. All processes that map the
// file share its pages. Does not need the descriptor after construction.
class Mapping {
 public:
  enum class Access { kRead, kWrite };

  Mapping() = default;
  // Throws Error(kInternal).
  explicit Mapping(int fd, Access access = Access::kRead);

  std::string_view bytes() const {
    return {
        static_cast<const char*>(data()),
        data() ? memory_.get_deleter().size : 0};
  }
  void* data() const { return memory_.get(); } // null if nothing is mapped

 private:
  std::unique_ptr<void, Unmap> memory_;
};

} // namespace vitrain::launch
