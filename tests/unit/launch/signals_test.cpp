#include "launch/processes/signals.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

#include "core/system/stacks.h"

namespace vitrain::launch {
namespace {

// Runs `body` in a child (signals there do not disturb the test) and returns
// its exit code, or 1000 + the signal that killed it.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    // Tests may run under nohup or in the background of a script.
    for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGPIPE}) {
      ::signal(number, SIG_DFL);
    }
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

// nohup, and the background of a script.
TEST(StopRequest, IgnoredSignalsStayIgnored) {
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) {
    EXPECT_EQ(
        in_child([&] {
          ::signal(number, SIG_IGN);
          // One that has come while all were blocked, as in a worker's start.
          const sigset_t set = stop_signals();
          ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
          ::kill(::getpid(), number);
          {
            const StopRequest stop(0);
            ::raise(number);
            if (stop.requested()) {
              return 1;
            }
            const int other = number == SIGHUP ? SIGTERM : SIGHUP;
            ::raise(other);
            if (stop.signal() != other) {
              return 2;
            }
          }
          struct sigaction action {};
          ::sigaction(number, nullptr, &action);
          return action.sa_handler == SIG_IGN ? 0 : 3;
        }),
        0)
        << number;
  }
}

// A launched worker's last words go to its launcher.
TEST(StopRequest, EndsAtOnceThoughNobodyReads) {
  EXPECT_EQ(
      in_child([] {
        int ends[2];
        if (::pipe(ends) != 0) {
          return 1;
        }
        ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (::write(ends[1], "x", 1) == 1) {
        }
        ::fcntl(ends[1], F_SETFL, 0);
        ::dup2(ends[1], STDERR_FILENO);
        ::alarm(5);
        stop_at_once(true);
        const StopRequest stop(0);
        ::raise(SIGTERM);
        return 2;
      }),
      128 + SIGTERM);
}

TEST(StopRequest, SetsAFlagOnce) {
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) {
    EXPECT_EQ(
        in_child([&] {
          const StopRequest stop(0);
          if (stop.requested() || stop.signal() != 0) {
            return 1;
          }
          ::raise(number);
          return stop.requested() && stop.signal() == number ? 0 : 2;
        }),
        0)
        << number;
  }
}

// Until there is something to save.
TEST(StopRequest, MayEndAtOnce) {
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) {
    EXPECT_EQ(
        in_child([&] {
          stop_at_once(true);
          const StopRequest stop(::getpid());
          ::kill(::getpid(), number);
          return 1;
        }),
        128 + number);
  }
  EXPECT_EQ(
      in_child([] {
        const sigset_t set = stop_signals();
        ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
        ::raise(SIGTERM);
        stop_at_once(true);
        const StopRequest stop(0); // lets in what arrived before
        return 1;
      }),
      128 + SIGTERM);
  EXPECT_EQ(
      in_child([] {
        stop_at_once(true);
        const StopRequest stop(0);
        stop_at_once(false);
        ::raise(SIGTERM);
        return stop.requested() ? 0 : 1;
      }),
      0);
}

TEST(StopRequest, SecondSignalSoonAfterIsTheSameRequest) {
  EXPECT_EQ(
      in_child([] {
        const StopRequest stop(0);
        ::raise(SIGTERM);
        ::raise(SIGTERM);
        ::raise(SIGINT);
        return stop.signal() == SIGTERM ? 0 : 1;
      }),
      0);
}

TEST(StopRequest, SecondSignalLaterEndsAtOnce) {
  EXPECT_EQ(
      in_child([] {
        const StopRequest stop(0);
        ::raise(SIGTERM);
        ::usleep(600'000);
        ::raise(SIGINT);
        return 0;
      }),
      128 + SIGINT);
}

TEST(StopRequest, TheSupervisorsSignalIsNeverTheSecond) {
  EXPECT_EQ(
      in_child([] {
        // This process plays its own supervisor: raise() is not kill(), so the
        // sender's pid is asked of kill().
        const StopRequest stop(::getpid());
        ::raise(SIGTERM);
        ::usleep(600'000);
        ::kill(::getpid(), SIGTERM);
        return stop.requested() ? 0 : 1;
      }),
      0);
}

TEST(StopRequest, TellsAFailureOfTheRunFromARequest) {
  EXPECT_EQ(
      in_child([] {
        const sigval why{.sival_int = kRunFailed};
        const StopRequest stop(::getpid());
        ::kill(::getpid(), SIGTERM);
        if (!stop.requested() || stop.run_failed()) {
          return 1;
        }
        // A stop was requested first, then a worker failed.
        ::usleep(600'000);
        ::sigqueue(::getpid(), SIGTERM, why);
        return stop.run_failed() ? 0 : 2;
      }),
      0);
  EXPECT_EQ(
      in_child([] {
        // Only the supervisor knows.
        const sigval why{.sival_int = kRunFailed};
        const StopRequest stop(0);
        ::sigqueue(::getpid(), SIGTERM, why);
        return stop.requested() && !stop.run_failed() ? 0 : 1;
      }),
      0);
}

TEST(StopRequest, LetsInWhatArrivedBefore) {
  EXPECT_EQ(
      in_child([] {
        const sigset_t set = stop_signals();
        ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
        ::raise(SIGTERM);
        const StopRequest stop(0);
        return stop.requested() ? 0 : 1;
      }),
      0);
}

TEST(StopRequest, RestoresWhatWasBefore) {
  EXPECT_EQ(
      in_child([] {
        {
          const StopRequest stop(0);
          ::raise(SIGTERM);
        }
        {
          const StopRequest again(0); // a new run starts unasked
          if (again.requested()) {
            return 1;
          }
        }
        ::raise(SIGTERM);
        return 2;
      }),
      1000 + SIGTERM);
}

TEST(StopRequest, BrokenPipeAndFileLimitAreErrorsNotDeath) {
  EXPECT_EQ(
      in_child([] {
        const StopRequest stop(0);
        int ends[2];
        if (::pipe(ends) != 0) {
          return 1;
        }
        ::close(ends[0]);
        if (::write(ends[1], "x", 1) != -1 || errno != EPIPE) {
          return 2;
        }
        ::raise(SIGXFSZ);
        ::raise(SIGTTOU);
        return stop.requested() ? 3 : 0;
      }),
      0);
}

TEST(StopRequest, DoesNotInterruptReads) {
  EXPECT_EQ(
      in_child([] {
        const StopRequest stop(0);
        int ends[2];
        if (::pipe(ends) != 0) {
          return 1;
        }
        const pthread_t reader = ::pthread_self();
        std::thread other([&] {
          ::usleep(50'000);
          ::pthread_kill(reader, SIGUSR1);
          ::usleep(50'000);
          [[maybe_unused]] const ssize_t written = ::write(ends[1], "x", 1);
        });
        char byte = 0;
        const ssize_t got = ::read(ends[0], &byte, 1);
        other.join();
        return got == 1 && stop.requested() ? 0 : 2;
      }),
      0);
}

TEST(BlockSignals, ThreadsInsideNeverSeeThem) {
  EXPECT_EQ(
      in_child([] {
        sigset_t inside;
        sigset_t inside_thread;
        sigset_t after;
        {
          const BlockedSignals blocked;
          ::pthread_sigmask(SIG_BLOCK, nullptr, &inside);
          std::thread([&] {
            ::pthread_sigmask(SIG_BLOCK, nullptr, &inside_thread);
          }).join();
        }
        ::pthread_sigmask(SIG_BLOCK, nullptr, &after);
        for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGCHLD}) {
          if (::sigismember(&inside, number) != 1 ||
              ::sigismember(&inside_thread, number) != 1 ||
              ::sigismember(&after, number) != 0) {
            return number;
          }
        }
        // A thread's own defect must still end the process.
        return ::sigismember(&inside, SIGSEGV) == 0 &&
                ::sigismember(&inside, SIGABRT) == 0
            ? 0
            : 100;
      }),
      0);
  EXPECT_EQ(
      in_child([]() -> int {
        const BlockedSignals blocked;
        ::raise(SIGTERM);
        ::_exit(5);
      }),
      5);
}

TEST(SignalName, KnowsTheUsualOnes) {
  EXPECT_EQ(signal_name(SIGKILL), "SIGKILL");
  EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(signal_name(63), "a signal without a name");
}

} // namespace
} // namespace vitrain::launch
