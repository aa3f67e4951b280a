#include "logging/mlflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/system/clock.h"
#include "fake_mlflow.h"
#include "logging/metrics_log.h"
#include "support.h"

namespace vitrain::logging {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Request = FakeMlflow::Request;

class Mlflow : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      const HttpClient client;
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  MlflowOptions options(const std::string& uri) const {
    return {
        .uri = uri,
        .experiment = "flowers & trees",
        .run_name = "vit-20250101",
        .folder = folder_.path(),
        .parameters = {{"optim.lr", "0.001"}, {"run.name", "\xc3\xa9"}}};
  }

  Ignored pipes_{SIGPIPE};
  TempFolder folder_;
};

// Answers requests that contain `part` with `status`, and the rest as usual.
FakeMlflow::Answer status_for(int status, const std::string& part) {
  return [=](const Request& request) {
    return request.path.find(part) == std::string::npos
        ? FakeMlflow::usual(request)
        : std::pair{status, std::string(R"({"message": "no\nroom"})")};
  };
}

TEST_F(Mlflow, ARunWithItsParametersNumbersAndFiles) {
  FakeMlflow server;
  spill(folder_.path() / "config.yaml", "a: 1\n");
  {
    MlflowLog log(options(server.uri() + "/"));
    log.file("config.yaml");
    log.metric("train/loss", 0.5, 3);
    log.metric("train/loss", std::numeric_limits<double>::quiet_NaN(), 4);
    log.metric("train/loss", -std::numeric_limits<double>::infinity(), 5);
    log.finish(MlflowStatus::kFinished);
    EXPECT_EQ(log.problem(), "");
    EXPECT_EQ(log.take_warning(), "");
  }
  EXPECT_EQ(
      server.requests().front().path,
      "/api/2.0/mlflow/experiments/get-by-name?experiment_name="
      "flowers%20%26%20trees");
  ASSERT_EQ(server.requests("experiments/create").size(), 1u);
  ASSERT_EQ(server.requests("runs/create").size(), 1u);
  const Json run = server.requests("runs/create")[0].json();
  EXPECT_EQ(run["experiment_id"], "7");
  EXPECT_EQ(run["run_name"], "vit-20250101");
  const auto batches = server.requests("runs/log-batch");
  EXPECT_EQ(
      batches.front().json()["params"],
      Json::parse(R"([{"key": "optim.lr", "value": "0.001"},)"
                  R"( {"key": "run.name", "value": "é"}])"));
  std::vector<std::string> values;
  for (const Request& batch : batches) {
    for (const Json& metric : batch.json().value("metrics", Json::array())) {
      EXPECT_EQ(metric["key"], "train/loss");
      EXPECT_GT(metric["timestamp"].get<double>(), 1.6e12);
      values.push_back(metric["step"].dump() + metric["value"].dump());
    }
  }
  EXPECT_THAT(
      values, testing::ElementsAre("30.5", "4\"NaN\"", "5\"-Infinity\""));
  const auto files = server.requests("mlflow-artifacts");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].method, "PUT");
  EXPECT_EQ(
      files[0].path,
      "/api/2.0/mlflow-artifacts/artifacts/7/abc/artifacts/config.yaml");
  EXPECT_EQ(files[0].body, "a: 1\n");
  EXPECT_EQ(server.requests().back().json()["status"], "FINISHED");
  EXPECT_EQ(
      Json::parse(slurp(folder_.path() / "mlflow.json"))["run_id"], "abc");
}

TEST_F(Mlflow, AContinuedRunGoesOnThereUnlessItIsGone) {
  FakeMlflow server;
  const auto run = [&] {
    MlflowLog log(options(server.uri()));
    log.metric("eval/top1", 50.0, 1);
    log.finish(MlflowStatus::kKilled);
    EXPECT_EQ(log.problem(), "");
  };
  run();
  run();
  EXPECT_EQ(server.requests("runs/create").size(), 1u);
  EXPECT_EQ(server.requests("runs/update").size(), 3u);
  EXPECT_EQ(server.requests("runs/update")[1].json()["status"], "RUNNING");
  // It was removed; a run of that name is made anew.
  bool first = true;
  server.set([&](const Request& request) {
    const bool gone =
        first && request.path.find("runs/update") != std::string::npos;
    first = first && !gone;
    return gone ? std::pair{404, std::string("{}")}
                : FakeMlflow::usual(request);
  });
  run();
  EXPECT_EQ(server.requests("runs/create").size(), 2u);
}

TEST_F(Mlflow, AServerThatIsDownCostsTheRunNothing) {
  std::string uri;
  {
    const FakeMlflow gone;
    uri = gone.uri();
  }
  MlflowLog log(options(uri));
  const Stopwatch watch;
  for (int step = 0; step < 1000; ++step) {
    log.metric("train/loss", 1.0, step);
  }
  EXPECT_LT(watch.seconds(), 0.5); // 1000 entries of a queue: 1 ms or so
  while (watch.seconds() < 5.0 && log.problem().empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Stopwatch end;
  log.finish(MlflowStatus::kFinished);
  EXPECT_LT(end.seconds(), MlflowLog::kPatience);
  const std::string warning = log.take_warning();
  EXPECT_THAT(warning, StartsWith("MLflow at " + uri + ": the run cannot be"));
  EXPECT_THAT(warning, HasSubstr("tried again until the end"));
  EXPECT_EQ(log.take_warning(), "");
  EXPECT_THAT(
      log.problem(),
      StartsWith("MLflow at " + uri + ": 1,000 numbers not delivered: "));
}

TEST_F(Mlflow, WhatFailsOnceIsDeliveredLater) {
  FakeMlflow server(status_for(503, "log-batch"));
  MlflowLog log(options(server.uri()));
  log.metric("train/loss", 1.0, 1);
  const Stopwatch watch;
  while (server.requests("log-batch").empty() && watch.seconds() < 10.0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  server.set(FakeMlflow::usual);
  log.finish(MlflowStatus::kFinished);
  EXPECT_EQ(log.problem(), "");
  EXPECT_THAT(
      log.take_warning(), HasSubstr("HTTP status 503: no\\x0aroom. The run"));
  EXPECT_EQ(server.requests().back().json()["status"], "FINISHED");
}

TEST_F(Mlflow, AServerThatDoesNotAnswerIsNotWaitedFor) {
  FakeMlflow server([](const Request&) { return std::pair{0, std::string()}; });
  MlflowLog log(options(server.uri()));
  log.metric("train/loss", 1.0, 1);
  const Stopwatch watch;
  log.finish(MlflowStatus::kFinished, /*patience=*/0.3);
  EXPECT_LT(watch.seconds(), 2.0); // libcurl looks for the end every second
  EXPECT_THAT(log.problem(), HasSubstr("1 number not delivered: it is too"));
}

// Or one far away: its files take longer than it is waited for a server that
// says nothing.
TEST_F(Mlflow, ASlowServerGetsEverythingAtTheEnd) {
  FakeMlflow server([](const Request& request) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return FakeMlflow::usual(request);
  });
  MlflowLog log(options(server.uri()));
  for (const char* name : {"a.png", "b.png", "c.png", "d.png"}) {
    spill(folder_.path() / name, "x");
    log.file(name);
  }
  log.finish(MlflowStatus::kFinished, /*patience=*/1.5);
  EXPECT_EQ(log.problem(), "");
  EXPECT_EQ(server.requests("mlflow-artifacts").size(), 4u);
}

TEST_F(Mlflow, WhatIsRefusedIsLeftOutAndSaid) {
  FakeMlflow server(status_for(403, "mlflow-artifacts"));
  MlflowLog log(options(server.uri()));
  spill(folder_.path() / "a.png", "x");
  log.file("a.png");
  log.file("b.png"); // is not there
  log.metric("train/loss", 1.0, 1);
  log.finish(MlflowStatus::kFinished);
  EXPECT_EQ(log.problem(), "");
  EXPECT_THAT(
      log.take_warning(),
      HasSubstr("a.png cannot be delivered: HTTP status 403: no\\x0aroom. The "
                "run goes on without it"));
  EXPECT_EQ(server.requests("log-batch").size(), 2u);
  EXPECT_EQ(server.requests().back().json()["status"], "FINISHED");
}

TEST_F(Mlflow, AnotherServerIsRecognised) {
  FakeMlflow server([](const Request&) {
    return std::pair{200, std::string("<html>")};
  });
  MlflowLog log(options(server.uri()));
  log.finish(MlflowStatus::kFinished);
  EXPECT_THAT(log.take_warning(), HasSubstr("is it MLflow's?"));
}

TEST_F(Mlflow, TheQueueIsBounded) {
  FakeMlflow server(status_for(503, "get-by-name"));
  MlflowLog log(options(server.uri()));
  for (std::size_t i = 0; i < MlflowLog::kMostWaiting + 5; ++i) {
    log.metric("x", 0.0, 0);
  }
  log.finish(MlflowStatus::kFinished);
  EXPECT_THAT(log.problem(), HasSubstr("100,005 numbers not delivered"));
}

TEST_F(Mlflow, TakesTheRecordsOfARun) {
  FakeMlflow server;
  {
    config::Recipe recipe;
    recipe.log.mlflow = server.uri();
    recipe.log.mlflow_experiment = "mine";
    spill(folder_.path() / "config.yaml", "a: 1\n");
    MetricsLog log(folder_.path(), recipe.log);
    log.begin(recipe);
    log.write({{"kind", "start"}, {"step", 0}});
    log.write({{"kind", "train"}, {"step", 2}, {"loss", 0.25}, {"count", 8}});
    log.write({{"kind", "eval"}, {"step", 2}, {"top1", 50.0}, {"count", 8}});
    log.picture("samples", {"png", 1, 1}, "config.yaml", 1);
    log.write({{"kind", "done"}, {"exit", 75}});
    log.close();
    EXPECT_EQ(log.problem(), "");
  }
  std::vector<std::string> seen;
  std::size_t parameters = 0;
  for (const Request& batch : server.requests("log-batch")) {
    const Json body = batch.json();
    const Json given = body.value("params", Json::array());
    parameters += given.size();
    EXPECT_LE(given.size(), 100u);
    for (const Json& metric : body.value("metrics", Json::array())) {
      seen.push_back(metric["key"].get<std::string>());
    }
  }
  EXPECT_GT(parameters, 100u); // every key of a recipe
  EXPECT_THAT(seen, testing::ElementsAre("train/loss", "eval/top1"));
  EXPECT_EQ(server.requests().back().json()["status"], "KILLED");
}

TEST_F(Mlflow, ARunThatFailsIsToldAsSuch) {
  FakeMlflow server;
  MlflowLog(options(server.uri())).metric("train/loss", 1.0, 1);
  EXPECT_EQ(server.requests().back().json()["status"], "FAILED");
  const ScopedVariable proxy("http_proxy", "http://127.0.0.1:9"); // not asked
  MlflowLog(options(server.uri())).metric("train/loss", 1.0, 1);
  EXPECT_EQ(server.requests("log-batch").size(), 3u); // with the parameters
}

TEST_F(Mlflow, SignsInAsMlflowsClientsDo) {
  const ScopedVariable user("MLFLOW_TRACKING_USERNAME", "me");
  const ScopedVariable password("MLFLOW_TRACKING_PASSWORD", "secret");
  FakeMlflow server;
  MlflowLog(options(server.uri())).finish(MlflowStatus::kFinished);
  EXPECT_THAT( // printf me:secret | base64
      server.requests().front().head,
      HasSubstr("Authorization: Basic bWU6c2VjcmV0"));
  const ScopedVariable token("MLFLOW_TRACKING_TOKEN", "t0k");
  MlflowLog(options(server.uri())).finish(MlflowStatus::kFinished);
  EXPECT_THAT(
      server.requests().back().head, HasSubstr("Authorization: Bearer t0k"));
}

// The address of a run that an older version began had a password.
TEST_F(Mlflow, UserInformationInTheAddressIsNeitherSentNorKept) {
  FakeMlflow server;
  const std::string uri = server.uri();
  const std::string secret = "http://me:s3cret@" + uri.substr(7);
  spill(
      folder_.path() / "mlflow.json",
      Json{
          {"uri", secret},
          {"run_id", "abc"},
          {"artifact_uri", "mlflow-artifacts://me:s3cret@host/7/abc"},
          {"parameters", false}}
          .dump());
  MlflowLog log(options(secret));
  log.finish(MlflowStatus::kFinished);
  EXPECT_EQ(log.problem(), "");
  EXPECT_THAT(server.requests("runs/create"), IsEmpty());
  for (const Request& request : server.requests()) {
    EXPECT_THAT(request.head, testing::Not(HasSubstr("Authorization")));
  }
  const std::string kept = slurp(folder_.path() / "mlflow.json");
  EXPECT_THAT(kept, HasSubstr(uri));
  EXPECT_THAT(kept, testing::Not(HasSubstr("s3cret")));
}

TEST_F(Mlflow, AnAddressIsToldWithoutUserInformation) {
  MlflowLog log(options("http://me:s3cret@127.0.0.1:1"));
  log.metric("train/loss", 1.0, 1);
  log.finish(MlflowStatus::kFinished, 0.2);
  const std::string told = log.take_warning() + log.problem();
  EXPECT_THAT(told, HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(told, testing::Not(HasSubstr("s3cret")));
}

TEST_F(Mlflow, ATokenFromAFileMayEndWithALineEnd) {
  const ScopedVariable token("MLFLOW_TRACKING_TOKEN", "t0k\n");
  FakeMlflow server;
  MlflowLog(options(server.uri())).finish(MlflowStatus::kFinished);
  EXPECT_THAT(
      server.requests().front().head,
      testing::EndsWith("Authorization: Bearer t0k"));
}

} // namespace
} // namespace vitrain::logging
