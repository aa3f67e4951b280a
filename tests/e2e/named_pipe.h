#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/system/files.h"
#include "program.h"

namespace vitrain::e2e {

// Returns the command run by a shell with its streams redirected by `how`.
inline Command redirected(const Command& command, const std::string& how) {
  return command.after({"sh", "-c", "exec \"$@\" " + how, "sh"});
}

// Reads the bytes that are ready, without waiting.
inline std::string read_ready(int fd) {
  std::string all;
  std::array<char, 1 << 16> part{};
  ssize_t got = 0;
  while ((got = ::read(fd, part.data(), part.size())) > 0) {
    all.append(part.data(), static_cast<std::size_t>(got));
  }
  return all;
}

// Writes until nothing fits any more.
inline void fill(int fd) {
  const std::string line(4096, '.');
  while (::write(fd, line.data(), line.size()) > 0) {
  }
  while (::write(fd, ".", 1) > 0) {
  }
}

// A named pipe with a reader that reads only on request.
class NamedPipe {
 public:
  NamedPipe() {
    EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0);
    reader = Fd(::open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }
  std::filesystem::path path() const { return folder_ / "pipe"; }
  void fill_up() const {
    const Fd writer(::open(path().c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    fill(writer.get());
  }

  Fd reader;

 private:
  TempFolder folder_;
};

} // namespace vitrain::e2e
