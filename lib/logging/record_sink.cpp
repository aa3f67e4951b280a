#include "logging/record_sink.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "core/system/clock.h"
#include "core/text.h"

namespace vitrain::logging {
namespace {

// Bytes per write to a descriptor that may block. A reader that is ready
// accepts this many without blocking: a terminal has a buffer of 256 bytes, and
// writes each newline as two characters.
constexpr std::size_t kPieceOfBlocking = 128;

} // namespace

RecordSink::RecordSink(Fd fd) : fd_(std::move(fd)) {
  struct stat status {};
  if (!fd_ || ::fstat(fd_.get(), &status) != 0) {
    note_error(errno);
    fd_.reset();
    return;
  }
  if (S_ISREG(status.st_mode)) {
    return;
  }
  kind_ = S_ISSOCK(status.st_mode) ? Kind::kSocket : Kind::kStream;
  // O_NONBLOCK belongs to the open file description, which a terminal shares
  // with the user's shell; so it is set on a separately opened one.
  if (S_ISFIFO(status.st_mode) || ::isatty(fd_.get()) == 1) {
    const std::string path = fmt::format("/proc/self/fd/{}", fd_.get());
    Fd own(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (own) {
      fd_ = std::move(own);
      nonblocking_ = true;
    }
  }
}

RecordSink RecordSink::open(const std::filesystem::path& path, int flags) {
  // O_NONBLOCK: opening a FIFO without a reader must not hang.
  Fd fd(::open(
      path.c_str(),
      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | flags,
      0666));
  return RecordSink(std::move(fd));
}

RecordSink::~RecordSink() {
  if (fd_ && !queue_.empty()) {
    push(kPatience);
  }
}

bool RecordSink::write(std::string_view record, double patience) {
  const auto full = [&] {
    return !queue_.empty() && queued_bytes_ + record.size() > kMostPending;
  };
  if (fd_ && full()) {
    push(/*patience=*/0.0); // the reader may have resumed
  }
  if (!fd_ || full()) {
    ++dropped_;
    return false;
  }
  queue_.emplace_back(record);
  queued_bytes_ += record.size();
  const std::int64_t dropped_before = dropped_;
  push(patience);
  return dropped_ == dropped_before;
}

bool RecordSink::flush() {
  if (fd_) {
    push(/*patience=*/0.0);
  }
  return queue_.empty();
}

void RecordSink::push(double patience) {
  const Stopwatch watch;
  while (!queue_.empty()) {
    const std::string& front = queue_.front();
    const std::ptrdiff_t written = write_some(
        front.data() + front_written_, front.size() - front_written_);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0 && errno == EAGAIN) {
      // After a stall, the reader is not waited for again until it reads.
      const double left = stalled_ ? 0.0 : patience - watch.seconds();
      if (left > 0.0 && wait_for_events(fd_.get(), POLLOUT, left)) {
        continue;
      }
      stalled_ = true;
      return;
    }
    if (written < 0) {
      note_error(errno);
      // The rest of a partly written record must be written later.
      const std::size_t kept = front_written_ > 0 ? 1 : 0;
      dropped_ += static_cast<std::int64_t>(queue_.size() - kept);
      queue_.resize(kept);
      queued_bytes_ = kept == 0 ? 0 : queue_.front().size();
      return;
    }
    stalled_ = false;
    front_written_ += static_cast<std::size_t>(written);
    if (front_written_ == front.size()) {
      queued_bytes_ -= front.size();
      queue_.pop_front();
      front_written_ = 0;
    }
  }
}

std::ptrdiff_t RecordSink::write_some(const char* bytes, std::size_t size) {
  if (kind_ == Kind::kSocket) {
    return ::send(fd_.get(), bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  if (kind_ == Kind::kStream && !nonblocking_) {
    if (!wait_for_events(fd_.get(), POLLOUT, 0.0)) {
      errno = EAGAIN;
      return -1;
    }
    size = std::min(size, kPieceOfBlocking);
  }
  return ::write(fd_.get(), bytes, size);
}

void RecordSink::note_error(int error_number) {
  if (error_.empty()) {
    error_ = error_text(error_number);
  }
}

} // namespace vitrain::logging
