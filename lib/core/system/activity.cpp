#include "core/system/activity.h"

#include <algorithm>
#include <cstring>

namespace vitrain {
namespace {

// Activity of this process; null: not published.
std::atomic<Activity*> activity_of_process{nullptr};
std::atomic<std::int64_t> collectives{0};
thread_local bool leads = false;
thread_local Doing* innermost = nullptr;

void publish(std::string_view part, bool waits) {
  Activity& activity = *activity_of_process;
  activity.waits.store(waits, std::memory_order_relaxed);
  constexpr std::size_t kMost = sizeof(activity.words) - 1;
  part.remove_prefix(part.size() - std::min(part.size(), kMost));
  for (auto& word : activity.words) {
    std::uint64_t value = 0;
    const std::size_t size = std::min(part.size(), sizeof value);
    std::memcpy(&value, part.data(), size);
    part.remove_prefix(size);
    word.store(value, std::memory_order_relaxed);
    if (size < sizeof value) {
      return; // this word ends with a zero byte
    }
  }
}

} // namespace

std::string Activity::part() const {
  std::string text;
  for (const auto& word : words) {
    const std::uint64_t value = word.load(std::memory_order_relaxed);
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return text.substr(0, text.find('\0'));
}

void lead_activity(Activity& activity) {
  leads = true;
  activity_of_process = &activity;
}

std::int64_t count_collective() {
  const std::int64_t count = ++collectives;
  if (Activity* activity = activity_of_process) {
    activity->collectives.store(count, std::memory_order_relaxed);
  }
  return count;
}

Doing::Doing(std::string part, bool waits)
    : part_(std::move(part)), waits_(waits) {
  if (leads) {
    outer_ = innermost;
    innermost = this;
    publish(part_, waits_);
  }
}

Doing::~Doing() {
  if (leads) {
    innermost = outer_;
    publish(
        outer_ != nullptr ? std::string_view(outer_->part_) : "",
        outer_ != nullptr && outer_->waits_);
  }
}

void Doing::now(std::string part) {
  part_ = std::move(part);
  if (leads) {
    publish(part_, waits_);
  }
}

} // namespace vitrain
