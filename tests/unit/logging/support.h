#pragma once

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "core/system/files.h"
#include "support/files.h"
#include "support/variables.h"

namespace vitrain::logging {

// Ignores a signal, as launch does in workers.
class Ignored {
 public:
  explicit Ignored(int number)
      : number_(number), old_(std::signal(number, SIG_IGN)) {}
  ~Ignored() { std::signal(number_, old_); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

 private:
  int number_;
  void (*old_)(int);
};

// Tests on a pseudo-terminal; skipped if none can be opened.
class OnATerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    int near = -1;
    int far = -1;
    if (::openpty(&near, &far, nullptr, nullptr, nullptr) != 0) {
      GTEST_SKIP() << "no pseudo terminal can be opened here (is /dev/pts "
                      "mounted?): "
                   << error_text(errno);
    }
    ::close(near);
    ::close(far);
  }
};

// A terminal of a given width; the program writes to `screen`.
struct Terminal {
  explicit Terminal(int columns) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = static_cast<unsigned short>(columns);
    int near = -1;
    int far = -1;
    if (::openpty(&near, &far, nullptr, nullptr, &size) != 0) {
      return; // OnATerminal skips the test
    }
    keyboard = Fd(near);
    screen = Fd(far);
    ::fcntl(near, F_SETFL, O_NONBLOCK);
  }
  // Everything written so far, with the terminal's CR LF as LF.
  std::string text() {
    std::string all;
    std::array<char, 4096> part{};
    ssize_t got = 0;
    while ((got = ::read(keyboard.get(), part.data(), part.size())) > 0) {
      all.append(part.data(), static_cast<std::size_t>(got));
    }
    std::size_t at = 0;
    while ((at = all.find("\r\n", at)) != std::string::npos) {
      all.erase(at, 1);
    }
    return all;
  }

  Fd keyboard;
  Fd screen;
};

inline void spill(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline Fd open_for_append(const std::filesystem::path& path) {
  return Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644));
}

} // namespace vitrain::logging
