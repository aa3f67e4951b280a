#include "logging/stream_output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/system/clock.h"
#include "core/system/print_lines.h"

namespace vitrain::logging {

StreamOutput::StreamOutput(int fd)
    : sink_(Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 3))),
      is_terminal_(::isatty(fd) == 1) {}

StreamOutput::~StreamOutput() {
  const Stopwatch watch;
  flush();
  while (!sink_.flush() && sink_.error().empty() &&
         watch.seconds() < kLastWait) {
    wait_for_events(sink_.fd(), POLLOUT, kLastWait - watch.seconds());
  }
  flush();
}

void StreamOutput::write(std::string_view text) {
  // A reader that keeps up may take this long for the whole text; a stalled one
  // is not waited for again before it reads.
  const Stopwatch watch;
  flush();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    sink_.write(
        text.substr(0, end),
        std::max(0.0, RecordSink::kPatience - watch.seconds()));
    text.remove_prefix(end);
  }
}

void StreamOutput::message(std::string_view text) {
  write(is_terminal_ ? message_for(sink_.fd(), text) : std::string(text));
}

void StreamOutput::flush() {
  const std::int64_t lost = dropped();
  if (!sink_.flush() || lost == reported_) {
    return;
  }
  const std::int64_t lines = lost - reported_;
  const std::string note = fmt::format(
      "{} line{} of this output dropped: {}\n",
      lines,
      lines == 1 ? "" : "s",
      sink_.reason());
  if (sink_.write(note, /*patience=*/0.0)) {
    reported_ = lost;
  } else {
    ++lost_notes_;
  }
}

StreamOutput& standard_error() {
  static StreamOutput output(STDERR_FILENO);
  return output;
}

} // namespace vitrain::logging
