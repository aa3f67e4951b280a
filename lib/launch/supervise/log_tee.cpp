#include "launch/supervise/log_tee.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::launch {

void LogTee::add(int rank, const std::filesystem::path& log, off_t start) {
  Fd file(::open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  VITRAIN_CHECK(
      file,
      ExitCode::kStorage,
      "{}: cannot be read: {}",
      printable(log.native()),
      error_text(errno));
  sources_.push_back(
      {.rank = rank, .file = std::move(file), .position = start, .rest = {}});
}

void LogTee::copy(bool last) {
  std::array<char, 1 << 14> buffer;
  std::string text;
  for (Source& source : sources_) {
    ssize_t got = 0;
    while ((got = ::pread(
                source.file.get(),
                buffer.data(),
                buffer.size(),
                source.position)) > 0) {
      source.position += got;
      source.rest.append(buffer.data(), static_cast<std::size_t>(got));
    }
    std::vector<std::string> lines = split(source.rest, '\n');
    source.rest.clear();
    if (!last) {
      source.rest = std::move(lines.back());
      lines.pop_back();
    } else if (lines.back().empty()) {
      lines.pop_back();
    }
    for (const std::string& line : lines) {
      text += fmt::format("[rank {}] {}\n", source.rank, printable(line));
    }
  }
  write_all(out_, text.data(), text.size());
}

} // namespace vitrain::launch
