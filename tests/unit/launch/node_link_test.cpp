#include "launch/supervise/node_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <thread>

#include "core/check.h"
#include "core/system/files.h"
#include "launch/processes/heartbeat.h"
#include "launch/supervise/hosts.h"

namespace vitrain::launch {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A port that was free a moment ago.
int free_port() {
  return listen_on_loopback().port;
}

NodeRequest node(int rank, int nodes, int port, double timeout = 20) {
  return {
      .nodes = nodes,
      .node_rank = rank,
      .master = {.host = "127.0.0.1", .port = port},
      .workers = rank + 1,
      .devices = fmt::format("devices of {}", rank),
      .timeout = timeout};
}

// Runs `body` for each node in a thread of its own; what each threw, or "".
std::vector<std::string> run_nodes(
    const std::vector<NodeRequest>& requests,
    const std::function<void(NodeLink&)>& body) {
  std::vector<std::string> errors(requests.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        NodeLink link(requests[i]);
        body(link);
      } catch (const Error& error) {
        errors[i] =
            fmt::format("{} {}", static_cast<int>(error.code()), error.what());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return errors;
}

std::optional<NodeFailure> wait_for_failure(NodeLink& link) {
  const double end = monotonic_seconds() + 10;
  while (monotonic_seconds() < end) {
    if (const auto failure = link.poll()) {
      return failure;
    }
    ::usleep(5000);
  }
  return std::nullopt;
}

// Ends the link as supervisors do after a run: none leaves before the rest.
void finish_together(NodeLink& link) {
  link.finish();
  const double end = monotonic_seconds() + 10;
  while (!link.all_finished() && monotonic_seconds() < end) {
    EXPECT_FALSE(link.poll());
    ::usleep(5000);
  }
  EXPECT_TRUE(link.all_finished());
}

TEST(NodeLink, RanksFollowTheNodesWhateverTheirSizes) {
  const int port = free_port();
  const auto errors = run_nodes(
      {node(2, 3, port), node(0, 3, port), node(1, 3, port)},
      [](NodeLink& link) {
        EXPECT_EQ(link.world_size(), 1 + 2 + 3);
        const std::vector<int> first{0, 1, 3};
        EXPECT_EQ(
            link.first_rank(),
            first[static_cast<std::size_t>(link.node_rank())]);
        EXPECT_EQ(link.master_address(), "127.0.0.1");
        EXPECT_EQ(link.own_address(), "127.0.0.1");
        EXPECT_EQ(link.nodes()[2].devices, "devices of 2");
        const std::string text =
            fmt::format("from {}\n\"quoted\"", link.node_rank());
        EXPECT_EQ(link.share(text), "from 0\n\"quoted\"");
        EXPECT_EQ(link.share("again"), "again");
        finish_together(link);
      });
  EXPECT_THAT(errors, ElementsAre("", "", ""));
}

TEST(NodeLink, AFailureIsKnownEverywhereAndTheNextAttemptForgetsIt) {
  const int port = free_port();
  const auto errors = run_nodes(
      {node(0, 3, port), node(1, 3, port), node(2, 3, port)},
      [](NodeLink& link) {
        link.share("");
        if (link.node_rank() == 2) {
          link.fail_all(3, "rank 5 broke");
          link.fail_all(7, "only the first counts");
          EXPECT_FALSE(link.poll());
        } else {
          const auto failure = wait_for_failure(link);
          ASSERT_TRUE(failure);
          EXPECT_EQ(failure->node, 2);
          EXPECT_EQ(failure->exit_code, 3);
          EXPECT_EQ(failure->text, "rank 5 broke");
          EXPECT_EQ(link.name_of(2), "node 2 (127.0.0.1)");
        }
        EXPECT_EQ(link.share("second"), "second");
        finish_together(link);
      });
  EXPECT_THAT(errors, ElementsAre("", "", ""));
}

TEST(NodeLink, AFailureBeforeTheStartReachesThoseWhoWait) {
  const int port = free_port();
  const auto errors =
      run_nodes({node(0, 2, port), node(1, 2, port)}, [](NodeLink& link) {
        if (link.node_rank() == 1) {
          link.fail_all(3, "/data: no such folder");
          ::usleep(200000);
        } else {
          link.share("");
        }
      });
  EXPECT_EQ(errors[0], "3 node 1 (127.0.0.1): /data: no such folder");
}

TEST(NodeLink, ANodeThatVanishesIsNamed) {
  const int port = free_port();
  const auto errors = run_nodes(
      {node(0, 3, port), node(1, 3, port), node(2, 3, port)},
      [](NodeLink& link) {
        link.share("");
        if (link.node_rank() == 1) {
          return;
        }
        const auto failure = wait_for_failure(link);
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->node, 1);
        EXPECT_EQ(failure->exit_code, 7);
        EXPECT_THAT(failure->text, HasSubstr("its supervisor is gone (closed"));
      });
  EXPECT_THAT(errors, ElementsAre("", "", ""));
}

TEST(NodeLink, MissingNodesAreNamed) {
  const int port = free_port();
  const double start = monotonic_seconds();
  const auto errors =
      run_nodes({node(0, 4, port, 1), node(2, 4, port, 15)}, [](NodeLink&) {});
  EXPECT_LT(monotonic_seconds() - start, 10);
  for (const std::string& error : errors) {
    EXPECT_THAT(error, HasSubstr("nodes 1, 3 of 4 did not come to port"));
  }
}

TEST(NodeLink, AnUnreachableMasterIsNamed) {
  const int port = free_port();
  const auto errors = run_nodes({node(1, 2, port, 0.5)}, [](NodeLink&) {});
  EXPECT_THAT(
      errors[0],
      AllOf(
          HasSubstr("7 node 1 of 2 could not reach node 0"),
          HasSubstr(fmt::format("127.0.0.1:{}", port)),
          HasSubstr("Connection refused")));
}

TEST(NodeLink, ContradictionsAreUsageErrorsOnBothSides) {
  {
    const int port = free_port();
    for (const std::string& error :
         run_nodes({node(0, 3, port), node(1, 2, port)}, [](NodeLink&) {})) {
      EXPECT_THAT(error, HasSubstr("was started for 2 machines, node 0 for 3"));
      EXPECT_EQ(error[0], '2');
    }
  }
  {
    const int port = free_port();
    for (const std::string& error : run_nodes(
             {node(0, 3, port), node(1, 3, port), node(1, 3, port)},
             [](NodeLink&) {})) {
      EXPECT_THAT(error, HasSubstr("-node_rank 1 was given twice"));
      EXPECT_EQ(error[0], '2');
    }
  }
}

TEST(NodeLink, WhoIsWaitedForIsToldAtOnce) {
  const int port = free_port();
  const auto lines = [&](NodeRequest request) {
    std::string text;
    request.notice = [&](const std::string& line) { text += line + "\n"; };
    run_nodes({request}, [](NodeLink&) {});
    return text;
  };
  EXPECT_EQ(
      lines(node(0, 3, port, 0.5)),
      fmt::format(
          "waiting for nodes 1, 2 of 3 at port {} (up to 0.5 s)\n", port));
  EXPECT_EQ(
      lines(node(1, 2, port, 0.5)),
      fmt::format(
          "waiting for node 0 at 127.0.0.1:{} (up to 0.5 s): Connection "
          "refused\n",
          port));
}

TEST(NodeLink, WhoIsStillMissingIsTold) {
  const int port = free_port();
  std::string first;
  std::string second;
  NodeRequest zero = node(0, 3, port, 2);
  zero.notice = [&](const std::string& line) { first += line + "\n"; };
  NodeRequest two = node(2, 3, port, 10);
  two.notice = [&](const std::string& line) { second += line + "\n"; };
  run_nodes({zero, two}, [](NodeLink&) {});
  std::string only;
  const int other = free_port();
  NodeRequest one = node(1, 2, other);
  one.notice = [&](const std::string& line) { only += line; };
  run_nodes({node(0, 2, other), one}, [](NodeLink&) {});
  EXPECT_THAT(only, Not(HasSubstr("node 0 is there"))); // nobody is missing
  EXPECT_THAT(first, HasSubstr("\nstill waiting for node 1\n"));
  EXPECT_THAT(
      second,
      HasSubstr(fmt::format(
          "node 0 is there (127.0.0.1:{}); waiting until all 3 nodes are",
          port)));
}

TEST(NodeLink, ANameWithoutAnAddressIsAUsageError) {
  for (const int rank : {0, 1}) {
    NodeRequest request = node(rank, 2, 1, 0.3);
    request.master.host = "no such host";
    std::string told;
    request.notice = [&](const std::string& line) { told += line + "\n"; };
    EXPECT_THAT(
        run_nodes({request}, [](NodeLink&) {})[0],
        HasSubstr("2 no address for the master 'no such host': "));
    EXPECT_THAT(told, HasSubstr("no address for the master"));
    EXPECT_THAT(told, HasSubstr("asking again for 0.3 s\n"));
  }
}

// Returns the message if another program than node 0 listens at the port: it
// sends `words` to the first connection and closes it.
std::string told_by_a_stranger(const std::string& words) {
  const ListeningSocket port = listen_on_loopback();
  std::thread stranger([&] {
    const Fd peer(::accept(port.socket.get(), nullptr, nullptr));
    write_all(peer.get(), words.data(), words.size());
    ::usleep(200000); // its words are read before its end is seen
  });
  const std::string error =
      run_nodes({node(1, 2, port.port, 5)}, [](NodeLink&) {})[0];
  stranger.join();
  EXPECT_THAT(error, HasSubstr(fmt::format("127.0.0.1:{}", port.port)));
  return error;
}

TEST(NodeLink, APortOfSomethingElseIsNamed) {
  EXPECT_THAT(
      told_by_a_stranger("SSH-2.0-OpenSSH_9.2p1\n"),
      AllOf(
          HasSubstr("2 what answers at"),
          HasSubstr("is not vitrain (it says 'SSH-2.0-OpenSSH_9.2p1')")));
  EXPECT_THAT(told_by_a_stranger("{}\n"), HasSubstr("is not vitrain"));
  EXPECT_THAT(
      told_by_a_stranger(""),
      AllOf(
          HasSubstr("7 127.0.0.1:"),
          HasSubstr("ended the connection without an answer"),
          HasSubstr("is not vitrain")));
}

TEST(NodeLink, StrangersAreIgnored) {
  const int port = free_port();
  const auto errors =
      run_nodes({node(0, 2, port), node(1, 2, port)}, [](NodeLink& link) {
        link.share("");
        finish_together(link);
      });
  EXPECT_THAT(errors, ElementsAre("", ""));
  for (const char* words :
       {"GET / HTTP/1.1\r\n\r\n", "{}\n", "{\"vitrain\": []}\n", "\n"}) {
    std::thread stranger([&] {
      const double end = monotonic_seconds() + 10;
      while (monotonic_seconds() < end) {
        const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(
                fd.get(),
                reinterpret_cast<sockaddr*>(&address),
                sizeof address) == 0) {
          write_all(fd.get(), words, std::strlen(words));
          return;
        }
        ::usleep(1000);
      }
    });
    const std::string error =
        run_nodes({node(0, 2, port, 0.5)}, [](NodeLink&) {})[0];
    EXPECT_THAT(error, HasSubstr("7 node 1 of 2 did not come"));
    stranger.join();
  }
}

TEST(NodeLink, APortInUseIsAUsageError) {
  const ListeningSocket taken = listen_on_loopback();
  EXPECT_THAT(
      run_nodes({node(0, 2, taken.port)}, [](NodeLink&) {})[0],
      HasSubstr(fmt::format("2 cannot listen on port {}", taken.port)));
}

TEST(Hosts, AreParsed) {
  const auto hosts = parse_hosts("a:4, user@b:2,c");
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_EQ(hosts[0].name, "a");
  EXPECT_EQ(hosts[0].workers, 4);
  EXPECT_EQ(hosts[1].name, "user@b");
  EXPECT_EQ(hosts[2].workers, -1);
  for (const char* bad :
       {"",
        "a:",
        "a:0",
        "a:x",
        ":4",
        "a,,b",
        "a:1,a:2",
        "-oProxy=x:1",
        "a b"}) {
    EXPECT_THROW(parse_hosts(bad), Error) << bad;
    EXPECT_THROW(parse_hosts("http://a:1"), Error);
  }
  EXPECT_TRUE(is_this_machine(parse_hosts("localhost:4")));
  EXPECT_FALSE(is_this_machine(parse_hosts("localhost:4,b:4")));
  EXPECT_FALSE(is_this_machine(parse_hosts("far.away.invalid:4")));
}

TEST(Hosts, CommandsAreForAShell) {
  const auto hosts = parse_hosts("user@a:4,b");
  const auto commands = host_commands(
      hosts, "/opt/v/vitrain", {"-cfg", "my file.yaml"}, "/it's", {});
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(
      commands[0].text(),
      "cd '/it'\\''s' && /opt/v/vitrain -cfg 'my file.yaml' -nnodes 2 "
      "-node_rank 0 -master a:29500 -set devices.count=4");
  EXPECT_EQ(
      commands[1].text(),
      "cd '/it'\\''s' && /opt/v/vitrain -cfg 'my file.yaml' -nnodes 2 "
      "-node_rank 1 -master a:29500");
  EXPECT_EQ(
      host_commands(parse_hosts("a:2"), "v", {}, "/", {})[0].text(),
      "cd / && v -set devices.count=2");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$(x)"), "'$(x)'");
}

} // namespace
} // namespace vitrain::launch
