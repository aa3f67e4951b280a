#include "core/system/stacks.h"

#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace vitrain {
namespace {

// on_signal() and all that it calls are async-signal-safe: a thread may hang in
// malloc().

std::atomic<Stacks>* state_of_process = nullptr;
std::atomic<int> written{0}; // number of stacks written

void put(const char* text) {
  [[maybe_unused]] const ssize_t done =
      ::write(STDERR_FILENO, text, std::strlen(text));
}

void write_stack() {
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  std::array<char, 16> thread{};
  std::to_chars(thread.begin(), thread.end() - 1, ::syscall(SYS_gettid));
  put("stack of thread ");
  put(thread.data());
  put(" (");
  put(name.data());
  put("):\n");
  std::array<void*, 64> frames{};
  const int count = ::backtrace(frames.data(), frames.size());
  constexpr int kOwn = 3; // this function, the handler and its return
  if (count > kOwn) {
    ::backtrace_symbols_fd(frames.data() + kOwn, count - kOwn, STDERR_FILENO);
  }
  ++written;
}

// Lets a thread write its stack, and waits at most 100 ms for it: the thread
// may block all signals.
void ask(pid_t thread) {
  const int before = written;
  ::syscall(SYS_tgkill, ::getpid(), thread, stack_signal());
  for (int i = 0; i < 50 && written == before; ++i) {
    const timespec pause{.tv_sec = 0, .tv_nsec = 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

void write_stacks() {
  const auto own = static_cast<pid_t>(::syscall(SYS_gettid));
  const int folder =
      ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  alignas(8) std::array<char, 4096> entries{};
  long size = 0;
  while ((size = ::syscall(
              SYS_getdents64, folder, entries.data(), entries.size())) > 0) {
    // struct linux_dirent64: inode, offset, length of the entry, type, name.
    constexpr long kLength = 16;
    constexpr long kName = 19;
    for (long at = 0; at < size;) {
      std::uint16_t length = 0;
      std::memcpy(&length, entries.data() + at + kLength, sizeof length);
      const char* name = entries.data() + at + kName;
      pid_t thread = 0;
      std::from_chars(name, name + std::strlen(name), thread);
      if (thread > 0 && thread != own) {
        ask(thread);
      }
      at += length;
    }
  }
  ::close(folder);
}

void on_signal(int /*number*/, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  write_stack();
  if (info->si_code != SI_TKILL) { // not from ask()
    write_stacks();
    *state_of_process = Stacks::kWritten;
  }
  errno = error;
}

} // namespace

int stack_signal() {
  return SIGRTMIN + 5;
}

void write_stacks_on_signal(std::atomic<Stacks>& state) {
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), frame.size()); // loads libgcc before any signal
  state_of_process = &state;
  struct sigaction action {};
  action.sa_sigaction = &on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(stack_signal(), &action, nullptr);
  state = Stacks::kReady;
}

BlockedSignals::BlockedSignals() {
  sigset_t set;
  ::sigfillset(&set);
  for (const int number :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, stack_signal()}) {
    ::sigdelset(&set, number);
  }
  ::pthread_sigmask(SIG_BLOCK, &set, &previous_);
}

BlockedSignals::~BlockedSignals() {
  ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

} // namespace vitrain
