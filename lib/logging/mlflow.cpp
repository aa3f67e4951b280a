#include "logging/mlflow.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include <fmt/format.h>

#include "core/system/clock.h"
#include "core/system/stacks.h"
#include "core/text.h"

namespace vitrain::logging {
namespace {

constexpr double kLongestPause = 60.0; // seconds
constexpr std::size_t kLongestReason = 200; // in bytes
// Number of attempts at the end of a run if the server does not answer.
constexpr int kLastAttempts = 2;
// Patience after a failure: a failed run ends all its workers within five
// seconds.
constexpr double kPatienceAfterFailure = 1.5;

std::chrono::duration<double> seconds_of(double seconds) {
  return std::chrono::duration<double>(seconds);
}

// Returns the reason why a request failed, for the user.
std::string reason_of(const HttpReply& reply) {
  if (!reply.error.empty()) {
    return printable(reply.error);
  }
  const Json body =
      Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  const std::string said = body.is_object() && body.contains("message") &&
          body.at("message").is_string()
      ? body.at("message").get<std::string>()
      : "";
  return fmt::format(
      "HTTP status {}{}{}",
      reply.status,
      said.empty() ? "" : ": ",
      printable(said.substr(0, kLongestReason)));
}

} // namespace

MlflowLog::MlflowLog(const MlflowOptions& options)
    : client_(options), uri_(printable(options.uri)) {
  const BlockedSignals blocked; // signals go to other threads
  thread_ = std::thread([this] { work(); });
}

MlflowLog::~MlflowLog() {
  finish(MlflowStatus::kFailed, kPatienceAfterFailure);
}

void MlflowLog::metric(std::string key, double value, std::int64_t step) {
  const std::lock_guard lock(mutex_);
  if (metrics_.size() == kMostWaiting) {
    metrics_.pop_front();
    ++lost_;
  }
  metrics_.push_back(
      {std::move(key),
       value,
       step,
       static_cast<std::int64_t>(1000.0 * unix_time())});
  wake_.notify_one();
}

void MlflowLog::file(std::string name) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(files_, name) == files_.end()) {
    files_.push_back(std::move(name));
    wake_.notify_one();
  }
}

void MlflowLog::finish(MlflowStatus status, double patience) {
  if (!thread_.joinable()) {
    return;
  }
  {
    std::unique_lock lock(mutex_);
    status_ = status;
    ending_ = true;
    wake_.notify_one();
    const Stopwatch watch;
    const double longest =
        status == MlflowStatus::kFinished ? kLongestEnd : patience;
    std::int64_t seen = -1;
    while (!done_ && seen != answered_ && watch.seconds() < longest) {
      seen = answered_;
      idle_.wait_for(lock, seconds_of(patience), [this] { return done_; });
    }
    abandoned_ = true;
    client_.stop();
    wake_.notify_one();
  }
  thread_.join();
}

std::string MlflowLog::take_warning() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warning_, "");
}

std::string MlflowLog::problem() const {
  const std::lock_guard lock(mutex_);
  const auto missing = lost_ + std::ssize(metrics_);
  std::string text;
  if (missing > 0) {
    text = counted(missing, "number");
  }
  if (!files_.empty()) {
    text += (text.empty() ? "" : " and ") + counted(std::ssize(files_), "file");
  }
  if (text.empty() && !ended_ && ending_) {
    text = "the end of the run";
  }
  return text.empty() ? ""
                      : fmt::format(
                            "MLflow at {}: {} not delivered: {}",
                            uri_,
                            text,
                            reason_.empty() ? "it is too slow" : reason_);
}

void MlflowLog::note(const HttpReply& reply, const std::string& what) {
  if (abandoned_) {
    return; // the request was stopped on purpose
  }
  reason_ = reason_of(reply);
  if (!warned_) {
    warned_ = true;
    warning_ = fmt::format(
        "MLflow at {}: {}: {}. {}",
        uri_,
        what,
        reason_,
        reply.try_again()
            ? "The run goes on, and it is tried again until the end"
            : "The run goes on without it");
  }
}

bool MlflowLog::send_some(std::unique_lock<std::mutex>& lock) {
  HttpReply reply;
  std::string what;
  // Runs a request while the lock is released.
  const auto run = [&](const auto& request) {
    lock.unlock();
    try {
      reply = request();
    } catch (const std::exception& error) { // a removed file, for example
      reply = {.status = 400, .body = "", .error = error.what()};
    }
    lock.lock();
  };
  if (!client_.begun()) {
    what = "the run cannot be made there";
    run([&] { return client_.begin(); });
    if (!reply.good()) {
      note(reply, what);
    }
    return client_.begun();
  }
  if (!metrics_.empty()) {
    const std::size_t count =
        std::min(metrics_.size(), MlflowClient::kMostMetrics);
    const std::vector<MlflowMetric> batch(
        metrics_.begin(),
        metrics_.begin() + static_cast<std::ptrdiff_t>(count));
    const std::int64_t lost = lost_;
    what = "numbers cannot be delivered";
    run([&] { return client_.log(batch); });
    if (reply.good() || !reply.try_again()) {
      // The oldest metrics that were sent may have been dropped from the queue
      // in the meantime.
      const std::int64_t gone = std::min<std::int64_t>(
          lost_ - lost, static_cast<std::int64_t>(count));
      metrics_.erase(
          metrics_.begin(),
          metrics_.begin() + static_cast<std::ptrdiff_t>(count) - gone);
      lost_ += reply.good() ? -gone : std::ssize(batch) - gone;
    }
  } else if (!files_.empty()) {
    const std::string name = files_.front();
    what = name + " cannot be delivered";
    run([&] { return client_.send_file(name); });
    if (reply.good() || !reply.try_again()) {
      files_.pop_front();
    }
  } else {
    what = "the end of the run cannot be told";
    run([&] { return client_.end(status_); });
    ended_ = reply.good() || !reply.try_again();
  }
  if (!reply.good()) {
    note(reply, what);
  }
  return reply.good() || !reply.try_again();
}

void MlflowLog::work() {
  std::unique_lock lock(mutex_);
  double pause = 0.0;
  int last_attempts = 0;
  while (!abandoned_ && !ended_ && last_attempts < kLastAttempts) {
    if (pause > 0.0) {
      // finish() ends the pause, so that there is another attempt at once.
      const bool was_ending = ending_;
      wake_.wait_for(lock, seconds_of(was_ending ? 0.5 : pause), [&] {
        return abandoned_ || ending_ != was_ending;
      });
    } else {
      wake_.wait(lock, [&] {
        return abandoned_ || ending_ || !metrics_.empty() || !files_.empty() ||
            !client_.begun();
      });
    }
    if (abandoned_) {
      break;
    }
    if (send_some(lock)) {
      pause = 0.0;
      ++answered_;
    } else {
      pause = std::min(kLongestPause, pause > 0.0 ? 2.0 * pause : 1.0);
    }
    last_attempts += ending_ && pause > 0.0 ? 1 : 0;
  }
  done_ = true;
  idle_.notify_all();
}

} // namespace vitrain::logging
