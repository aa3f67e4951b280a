#include "launch/foreign/port_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <thread>

#include "core/check.h"
#include "core/json.h"
#include "launch/devices/cores.h"
#include "launch/processes/error_file.h"
#include "launch/processes/rendezvous.h"
#include "support/errors.h"
#include "trial.h"

namespace vitrain::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string fresh_name() {
  static int count = 0;
  return fmt::format("vitrain-test-{}-{}", ::getpid(), ++count);
}

TEST(PortExchange, EveryRankLearnsThePort) {
  for (int round = 0; round < 3; ++round) {
    const std::string name = fresh_name();
    std::vector<int> ports(4);
    std::vector<std::thread> ranks;
    for (int rank = 3; rank >= 0; --rank) {
      ranks.emplace_back([&, rank] {
        ports[static_cast<std::size_t>(rank)] = exchange_port(
            {.socket = name, .rank = rank, .size = 4, .timeout = 30},
            rank == 0 ? 4711 : 0);
      });
    }
    for (std::thread& rank : ranks) {
      rank.join();
    }
    EXPECT_THAT(ports, ElementsAre(4711, 4711, 4711, 4711));
  }
}

TEST(PortExchange, WhoIsMissingIsNamed) {
  const std::string name = fresh_name();
  std::thread present([&] {
    EXPECT_EQ(
        exchange_port({.socket = name, .rank = 2, .size = 4, .timeout = 30}, 0),
        5);
  });
  EXPECT_THAT(
      error_of(
          ExitCode::kWorkerDied,
          [&] {
            exchange_port(
                {.socket = name, .rank = 0, .size = 4, .timeout = 0.5}, 5);
          }),
      HasSubstr("ranks 1, 3 of 4 did not come"));
  present.join();
  try {
    exchange_port(
        {.socket = fresh_name(), .rank = 1, .size = 2, .timeout = 0.2}, 0);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1 of 2 did not find rank 0"));
  }
}

TEST(ListeningSocket, PortsInUseAreUsageErrors) {
  const ListeningSocket first = listen_on_loopback();
  EXPECT_GT(first.port, 0);
  EXPECT_THAT(
      error_of(
          ExitCode::kUsage, [&] { listen_for_nodes("127.0.0.1", first.port); }),
      HasSubstr(fmt::format("port {}", first.port)));
  EXPECT_GT(listen_for_nodes("127.0.0.1", 0).port, 0);
}

TEST(LocalAddress, IsChosenByRouting) {
  EXPECT_EQ(local_address_towards("127.0.0.1", true), "127.0.0.1");
  EXPECT_EQ(local_address_towards("localhost", true).empty(), false);
  EXPECT_TRUE(is_loopback(local_address_towards("127.3.2.1", true)));
  EXPECT_THROW(local_address_towards("no.such.host.invalid", true), Error);
  EXPECT_TRUE(is_loopback("127.0.1.1"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("10.0.0.1"));
}

TEST(HostPort, IsParsed) {
  EXPECT_EQ(parse_host_port("a:1", "-master").host, "a");
  EXPECT_EQ(parse_host_port("[::1]:65535", "-master").host, "::1");
  EXPECT_EQ(parse_host_port("[::1]:65535", "-master").port, 65535);
  for (const char* bad : {"", "a", "a:", ":1", "a:0", "a:65536", "a:x"}) {
    try {
      parse_host_port(bad, "-master");
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("-master: expected HOST:PORT"));
    }
  }
}

TEST(Cores, AreSharedByThoseThatMayUseThem) {
  const TempFolder root; // without a quota
  const auto each = [&](const std::vector<std::vector<int>>& masks) {
    return share_cores(masks, root.path()).each;
  };
  // Not bound: four workers on eight.
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(each({all, all, all, all}), ElementsAre(2, 2, 2, 2));
  // mpirun --bind-to core, and --map-by numa.
  EXPECT_THAT(each({{0}, {1}}), ElementsAre(1, 1));
  EXPECT_THAT(
      each({{0, 1, 2, 3}, {0, 1, 2, 3}, {4, 5, 6, 7}}), ElementsAre(2, 2, 4));
  EXPECT_THAT(each({{0}, {0}, {0}}), ElementsAre(1, 1, 1));
  EXPECT_THAT(each({{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}), ElementsAre(1, 1, 1));
  EXPECT_EQ(affinity_cpus().empty(), false);
}

TEST(ErrorFile, HasTorchsFormatAndKeepsTheFirst) {
  const TempFolder folder;
  const auto path = folder.path() / "attempt_0" / "error.json";
  ::setenv("TORCHELASTIC_ERROR_FILE", path.c_str(), 1);
  write_error_file("first \xff");
  write_error_file("second");
  ::unsetenv("TORCHELASTIC_ERROR_FILE");
  const Json json = Json::parse(slurp(path));
  EXPECT_EQ(json.at("message").at("message"), "first \xEF\xBF\xBD");
  const Json& extra = json.at("message").at("extraInfo");
  EXPECT_EQ(extra.at("py_callstack"), "first \xEF\xBF\xBD");
  // torch reads int(timestamp).
  EXPECT_GT(std::stoll(extra.at("timestamp").get<std::string>()), 1600000000);
  write_error_file("without the variable nothing happens");
}

} // namespace
} // namespace vitrain::launch
