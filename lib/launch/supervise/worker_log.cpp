#include "launch/supervise/worker_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/check.h"
#include "core/system/clock.h"
#include "core/text.h"

namespace vitrain::launch {

std::string log_header(const LogHeader& header) {
  return fmt::format(
      "rank {} of {}, {}, started by {} on {}{}\n",
      header.rank,
      header.world_size,
      header.device,
      header.started_by,
      local_time("%Y-%m-%d at %H:%M:%S"),
      header.restarts == 0 ? "" : fmt::format(", restart {}", header.restarts));
}

WorkerLog open_worker_log(
    const std::filesystem::path& path,
    const LogHeader& header) {
  // O_NONBLOCK: opening must not hang if the path is a FIFO.
  Fd fd(::open(
      path.c_str(),
      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK,
      0666));
  struct stat status {};
  VITRAIN_CHECK(
      fd && ::fstat(fd.get(), &status) == 0,
      ExitCode::kStorage,
      "{}: cannot open the worker's log: {}",
      printable(path.native()),
      error_text(errno));
  VITRAIN_CHECK(
      S_ISREG(status.st_mode),
      ExitCode::kStorage,
      "{}: cannot be the worker's log: not a regular file",
      printable(path.native()));
  const std::string line = log_header(header);
  // Ignore a full disk here; the worker will report it.
  write_all(fd.get(), line.data(), line.size());
  return {
      .file = std::move(fd),
      .start = status.st_size + static_cast<off_t>(line.size())};
}

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
  out_.write(text);
}

} // namespace vitrain::launch
