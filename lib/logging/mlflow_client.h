#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "logging/http_client.h"

namespace vitrain::logging {

// State of a run, in MLflow's terms.
enum class MlflowStatus { kRunning, kFinished, kFailed, kKilled };

// Value of a metric at a step.
struct MlflowMetric {
  std::string key; // "train/loss"
  double value = 0.0;
  std::int64_t step = 0;
  std::int64_t time_ms = 0; // since the Unix epoch
};

struct MlflowOptions {
  std::string uri; // "http://host:5000"
  std::string experiment;
  std::string run_name;
  // Run folder; its mlflow.json stores the MLflow run id for resuming.
  std::filesystem::path folder;
  // Parameters of a new run: key and value, of which the first 500 bytes are
  // sent.
  std::vector<std::pair<std::string, std::string>> parameters;
};

// A run on an MLflow tracking server, by its REST API 2.0. No function retries;
// each returns the server's reply or the network error.
class MlflowClient {
 public:
  // Authenticates with MLFLOW_TRACKING_TOKEN, or with MLFLOW_TRACKING_USERNAME
  // and MLFLOW_TRACKING_PASSWORD; user information in the URL is ignored.
  // Throws Error(kUsage) if libcurl cannot be loaded.
  explicit MlflowClient(MlflowOptions options);

  // Resumes the run in mlflow.json if it is one of this server and the server
  // still has it; otherwise creates one. Sends the parameters if they have not
  // been sent. Throws Error(kStorage) if mlflow.json cannot be read or written.
  HttpReply begin();
  // True after a begin() that resumed or created the run; the functions below
  // require it. (The server may have rejected the parameters.)
  bool begun() const { return begun_; }
  const std::string& run_id() const { return run_id_; }

  // Sends metrics, at most kMostMetrics.
  HttpReply log(const std::vector<MlflowMetric>& metrics);
  static constexpr std::size_t kMostMetrics = 1000; // limit of the server

  // Sends a file, named relative to the run folder. Returns an error without a
  // request if the server does not serve artifacts. Throws Error(kStorage) if
  // the file cannot be read or has more than 64 MiB.
  HttpReply send_file(const std::string& name);
  HttpReply end(MlflowStatus status);

  void stop() { http_.stop(); }

 private:
  HttpReply post(const std::string& call, const Json& body);
  HttpReply find_experiment(std::string& id);
  HttpReply create_run();
  HttpReply log_parameters();
  HttpReply update(MlflowStatus status);
  std::filesystem::path memory() const {
    return options_.folder / "mlflow.json";
  }
  void save_run_id() const;

  MlflowOptions options_;
  HttpClient http_;
  std::string run_id_;
  std::string artifacts_; // "mlflow-artifacts:/1/abc/artifacts"
  bool begun_ = false;
  bool parameters_sent_ = false;
};

} // namespace vitrain::logging
