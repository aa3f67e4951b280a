#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/files/files.h"

namespace vitrain::launch {

// Opens /dev/null on each of the descriptors 0, 1 and 2 that is closed, so that
// no file or socket opened later takes their place. First call of main().
void open_missing_standard_streams();

// Moves the descriptor to a number above 2, close-on-exec, so that it survives
// the set-up of a worker's standard streams. Throws Error(kInternal).
Fd above_standard_streams(Fd fd);

// A copy of `fd` above 2, close-on-exec; /dev/null when `fd` is closed.
Fd duplicate_or_null(int fd);

// One end of a pipe for us, the other for a child; both above 2, close-on-exec.
struct Pipe {
  Fd read;
  Fd write;
};
// Throws Error(kUsage): `child` cannot be started.
Pipe make_pipe(const char* child);

// Writes as much of `text` as the reader of `fd` takes without being waited
// for. Async-signal-safe; the process must ignore SIGPIPE.
void write_ready(int fd, std::string_view text);

// Sets or clears close-on-exec. Throws Error(kInternal) on a closed number.
void set_close_on_exec(int fd, bool on);

// Returns a sealed anonymous memory file with content `bytes`: processes that
// inherit it cannot change or resize it. The name appears in /proc only. Throws
// Error(kInternal), Error(kOutOfMemory).
Fd make_memfd(const std::string& name, std::string_view bytes);

// Returns an anonymous memory file of `size` zero bytes that processes which
// inherit it may write; its size is sealed. Throws Error(kInternal).
Fd make_shared_memory(const std::string& name, std::size_t size);

struct Unmap {
  std::size_t size = 0;
  void operator()(void* address) const;
};

// The whole of a file in memory, kept until destruction; the pages are shared
// by all processes that map it. Independent of the descriptor once constructed.
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
  void* data() const { return memory_.get(); } // null without a file

 private:
  std::unique_ptr<void, Unmap> memory_;
};

} // namespace vitrain::launch
