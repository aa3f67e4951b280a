#include "dist/group/connect.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <stdexcept>
#include <thread>
#include <utility>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/system/clock.h"
#include "core/system/files.h"
#include "support/errors.h"

namespace vitrain::dist {
namespace {

using ::testing::HasSubstr;

// A socket bound to a free port of 127.0.0.1; `listening` as the supervisor
// opens it, so that clients may connect before the store exists.
std::pair<Fd, int> bound_socket(bool listening) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), generic, length) != 0 ||
      ::getsockname(socket.get(), generic, &length) != 0 ||
      (listening && ::listen(socket.get(), SOMAXCONN) != 0)) {
    throw std::runtime_error("no port on 127.0.0.1");
  }
  return {std::move(socket), ntohs(address.sin_port)};
}

// Runs connect() on `size` threads, then `body` on what each got.
template <typename Body>
void connect_all(Rendezvous rendezvous, int size, Body&& body) {
  auto [socket, port] = bound_socket(/*listening=*/true);
  rendezvous.size = size;
  rendezvous.port = port;
  rendezvous.setup_timeout = 60.0;
  std::vector<Groups> groups(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  const int listen_fd = socket.release(); // the store of rank 0 owns it
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank, own = rendezvous]() mutable {
      own.rank = rank;
      own.listen_fd = rank == 0 ? listen_fd : -1;
      Groups& mine = groups[static_cast<std::size_t>(rank)];
      try {
        mine = connect(own);
        body(rank, mine);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(Connect, GivesALoneWorkerGroupsOfOne) {
  Groups groups = connect({});
  EXPECT_EQ(groups.data->size(), 1);
  EXPECT_EQ(groups.control->size(), 1);
  groups.control->barrier();
  groups.shutdown();
}

TEST(Connect, JoinsAllRanksOverAnInheritedSocket) {
  for (const int size : {2, 3}) {
    connect_all({}, size, [&](int rank, Groups& groups) {
      for (Group* group : {groups.data.get(), groups.control.get()}) {
        EXPECT_EQ(group->rank(), rank);
        EXPECT_EQ(group->size(), size);
        const at::Tensor sum = at::ones({4});
        group->all_reduce(sum);
        EXPECT_TRUE(at::equal(sum, at::full({4}, size)));
      }
      groups.shutdown();
    });
  }
}

TEST(Connect, KeepsTheTwoGroupsApart) {
  connect_all({}, 2, [](int rank, Groups& groups) {
    const at::Tensor first = at::full({3}, 1.0);
    const at::Tensor second = at::full({3}, 10.0);
    // Opposite orders: a shared connection would mix the two.
    Pending data;
    Pending control;
    if (rank == 0) {
      data = groups.data->all_reduce_async(first);
      control = groups.control->all_reduce_async(second);
    } else {
      control = groups.control->all_reduce_async(second);
      data = groups.data->all_reduce_async(first);
    }
    data.wait();
    control.wait();
    EXPECT_TRUE(at::equal(first, at::full({3}, 2.0)));
    EXPECT_TRUE(at::equal(second, at::full({3}, 20.0)));
  });
}

// Message of connect()'s Error.
std::string failure(const Rendezvous& rendezvous) {
  return error_of(ExitCode::kWorkerDied, [&] { connect(rendezvous); });
}

// setup_timeout, not the (much longer) timeout of a collective, decides.
TEST(Connect, GivesUpOnAMissingPeerAfterTheSetupTimeout) {
  auto [socket, port] = bound_socket(/*listening=*/true);
  const Stopwatch watch;
  const std::string message = failure(
      {.rank = 0,
       .size = 2,
       .port = port,
       .listen_fd = socket.release(),
       .setup_timeout = 1.0,
       .timeout = 1800.0});
  EXPECT_THAT(message, HasSubstr("rank 0 of 2 waited 1 s"));
  EXPECT_THAT(message, HasSubstr("rank 1 did not come"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(watch.seconds(), 60.0);
}

TEST(Connect, GivesUpOnAMissingStoreAfterTheSetupTimeout) {
  // Bound but not listening: connections are refused, and the port is ours.
  const auto [socket, port] = bound_socket(/*listening=*/false);
  const Stopwatch watch;
  const std::string message = failure(
      {.rank = 1,
       .size = 2,
       .port = port,
       .setup_timeout = 1.0,
       .timeout = 1800.0});
  EXPECT_THAT(message, HasSubstr("rank 1 of 2 could not connect"));
  EXPECT_LT(watch.seconds(), 60.0);
}

// After the set-up it is `timeout` that limits a collective.
TEST(Connect, LimitsACollectiveByTheTimeoutOnceConnected) {
  connect_all({.timeout = 1.0}, 2, [](int rank, Groups& groups) {
    if (rank == 0) {
      const Stopwatch watch;
      for (Group* group : {groups.data.get(), groups.control.get()}) {
        try {
          group->barrier();
          ADD_FAILURE() << "a barrier without the other rank returned";
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::kWorkerDied);
        }
      }
      EXPECT_GT(watch.seconds(), 0.9);
      EXPECT_LT(watch.seconds(), 60.0);
    } else {
      std::this_thread::sleep_for(std::chrono::seconds(3));
    }
  });
}

} // namespace
} // namespace vitrain::dist
