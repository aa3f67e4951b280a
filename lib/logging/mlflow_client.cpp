#include "logging/mlflow_client.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "core/base64.h"
#include "core/error.h"
#include "core/system/clock.h"
#include "core/system/files.h"
#include "core/system/system.h"
#include "core/text.h"
#include "core/url.h"

namespace vitrain::logging {
namespace {

constexpr double kCallSeconds = 10.0;
constexpr double kFileSeconds = 60.0;
constexpr std::size_t kMostParameters = 100; // limit of the server
constexpr std::size_t kLongestParameter = 500;
constexpr std::size_t kLargestFile = std::size_t{64} << 20;
constexpr std::string_view kArtifactScheme = "mlflow-artifacts:/";

std::int64_t now_ms() {
  return static_cast<std::int64_t>(1000.0 * unix_time());
}

std::vector<std::string> authorization() {
  const auto value_of = [](const char* name) {
    // A value read from a file may end with a newline.
    return std::string(trim(environment_variable(name)));
  };
  const std::string token = value_of("MLFLOW_TRACKING_TOKEN");
  const std::string user = value_of("MLFLOW_TRACKING_USERNAME");
  if (!token.empty()) {
    return {"Authorization: Bearer " + token};
  }
  if (!user.empty()) {
    std::string line = "Authorization: Basic ";
    append_base64(line, user + ":" + value_of("MLFLOW_TRACKING_PASSWORD"));
    return {line};
  }
  return {};
}

// Returns a number, or protobuf's text for NaN and infinities, which JSON
// cannot represent.
Json number_of(double value) {
  if (std::isfinite(value)) {
    return value;
  }
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

const char* status_name(MlflowStatus status) {
  switch (status) {
    case MlflowStatus::kRunning:
      return "RUNNING";
    case MlflowStatus::kFinished:
      return "FINISHED";
    case MlflowStatus::kKilled:
      return "KILLED";
    case MlflowStatus::kFailed:
      break;
  }
  return "FAILED";
}

const char* type_of(const std::string& name) {
  return name.ends_with(".png") ? "image/png"
      : name.ends_with(".html") ? "text/html"
                                : "text/plain";
}

// Returns a nested member of an object in a reply; null if there is none.
Json member(const HttpReply& reply, std::initializer_list<const char*> path) {
  Json value = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  for (const char* name : path) {
    if (!value.is_object() || !value.contains(name)) {
      return nullptr;
    }
    value = Json(value.at(name));
  }
  return value;
}

// Returns an error for a reply that lacks what every MLflow server sends.
HttpReply strange(const HttpReply& reply, const char* what) {
  return {
      .status = 400,
      .body = reply.body,
      .error =
          fmt::format("the server's reply has no {}: is it MLflow's?", what)};
}

} // namespace

MlflowClient::MlflowClient(MlflowOptions options)
    : options_(std::move(options)) {
  // mlflow.json must not contain credentials.
  options_.uri = remove_user_info(options_.uri);
  while (options_.uri.ends_with('/')) {
    options_.uri.pop_back();
  }
  http_.set_headers(authorization());
}

HttpReply MlflowClient::post(const std::string& call, const Json& body) {
  return http_.send(
      "POST",
      options_.uri + "/api/2.0/mlflow/" + call,
      to_line(body),
      "application/json",
      kCallSeconds);
}

HttpReply MlflowClient::begin() {
  if (run_id_.empty() && std::filesystem::exists(memory())) {
    const Json saved = Json::parse(
        read_file(memory(), kLargestFile, ExitCode::kStorage),
        nullptr,
        /*allow_exceptions=*/false);
    if (saved.is_object() &&
        remove_user_info(saved.value("uri", "")) == options_.uri) {
      run_id_ = saved.value("run_id", "");
      artifacts_ = remove_user_info(saved.value("artifact_uri", ""));
      parameters_sent_ = saved.value("parameters", false);
    }
  }
  if (!run_id_.empty()) {
    HttpReply reply = update(MlflowStatus::kRunning);
    begun_ = reply.good() && parameters_sent_;
    if (begun_ || reply.try_again()) {
      return reply;
    }
    if (!reply.good()) { // the run was deleted on the server
      run_id_.clear();
      parameters_sent_ = false;
    }
  }
  if (run_id_.empty()) {
    HttpReply reply = create_run();
    if (!reply.good()) {
      return reply;
    }
    save_run_id(); // saved before anything else can fail
  }
  HttpReply reply = log_parameters();
  parameters_sent_ = begun_ = reply.good() || !reply.try_again();
  if (begun_) {
    save_run_id();
  }
  return reply;
}

HttpReply MlflowClient::find_experiment(std::string& id) {
  HttpReply reply = http_.send(
      "GET",
      options_.uri +
          "/api/2.0/mlflow/experiments/get-by-name?experiment_name=" +
          url_encoded(options_.experiment),
      "",
      "application/json",
      kCallSeconds);
  Json found = member(reply, {"experiment", "experiment_id"});
  if (!reply.good() && !reply.try_again()) {
    reply = post("experiments/create", {{"name", options_.experiment}});
    found = member(reply, {"experiment_id"});
  }
  if (!reply.good()) {
    return reply;
  }
  if (!found.is_string()) {
    return strange(reply, "experiment_id");
  }
  id = found.get<std::string>();
  return reply;
}

HttpReply MlflowClient::create_run() {
  std::string experiment;
  HttpReply reply = find_experiment(experiment);
  if (!reply.good()) {
    return reply;
  }
  reply = post(
      "runs/create",
      {{"experiment_id", experiment},
       {"run_name", options_.run_name},
       {"start_time", now_ms()},
       {"tags",
        {{{"key", "mlflow.source.name"}, {"value", "vitrain"}},
         {{"key", "vitrain.folder"}, {"value", options_.folder.native()}}}}});
  if (!reply.good()) {
    return reply;
  }
  const Json id = member(reply, {"run", "info", "run_id"});
  const Json artifacts = member(reply, {"run", "info", "artifact_uri"});
  if (!id.is_string()) {
    return strange(reply, "run_id");
  }
  run_id_ = id.get<std::string>();
  artifacts_ = artifacts.is_string()
      ? remove_user_info(artifacts.get<std::string>())
      : "";
  return reply;
}

HttpReply MlflowClient::log_parameters() {
  HttpReply reply{.status = 200, .body = "", .error = ""};
  const std::span all(options_.parameters);
  for (std::size_t first = 0; first < all.size(); first += kMostParameters) {
    Json list = Json::array();
    for (const auto& [key, value] :
         all.subspan(first, std::min(kMostParameters, all.size() - first))) {
      list.push_back(
          {{"key", key},
           {"value", valid_utf8(value.substr(0, kLongestParameter))}});
    }
    reply = post("runs/log-batch", {{"run_id", run_id_}, {"params", list}});
    if (!reply.good()) {
      break;
    }
  }
  return reply;
}

void MlflowClient::save_run_id() const {
  const Json saved{
      {"uri", options_.uri},
      {"experiment", options_.experiment},
      {"run_id", run_id_},
      {"artifact_uri", artifacts_},
      {"parameters", parameters_sent_}};
  write_file_atomically(memory(), saved.dump(2) + "\n");
}

HttpReply MlflowClient::log(const std::vector<MlflowMetric>& metrics) {
  Json list = Json::array();
  for (const MlflowMetric& metric : metrics) {
    list.push_back(
        {{"key", metric.key},
         {"value", number_of(metric.value)},
         {"timestamp", metric.time_ms},
         {"step", metric.step}});
  }
  return post("runs/log-batch", {{"run_id", run_id_}, {"metrics", list}});
}

HttpReply MlflowClient::send_file(const std::string& name) {
  if (!artifacts_.starts_with(kArtifactScheme)) {
    return {
        .status = 400,
        .body = "",
        .error = "the server stores artifacts where only its clients can write "
                 "(start it with --serve-artifacts)"};
  }
  const std::string bytes =
      read_file(options_.folder / name, kLargestFile, ExitCode::kStorage);
  // "mlflow-artifacts:/1/..." or, with a host, "mlflow-artifacts://host/1/...".
  std::string place = artifacts_.substr(kArtifactScheme.size() - 1);
  if (place.starts_with("//")) {
    const std::size_t slash = place.find('/', 2);
    place = slash == std::string::npos ? "" : place.substr(slash);
  }
  return http_.send(
      "PUT",
      options_.uri + "/api/2.0/mlflow-artifacts/artifacts" + place + "/" + name,
      bytes,
      type_of(name),
      kFileSeconds);
}

HttpReply MlflowClient::update(MlflowStatus status) {
  Json body{{"run_id", run_id_}, {"status", status_name(status)}};
  if (status != MlflowStatus::kRunning) {
    body["end_time"] = now_ms();
  }
  return post("runs/update", body);
}

HttpReply MlflowClient::end(MlflowStatus status) {
  return update(status);
}

} // namespace vitrain::logging
