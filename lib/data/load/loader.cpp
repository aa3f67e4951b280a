#include "data/load/loader.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/aligned.h"
#include "core/check.h"
#include "core/system/activity.h"
#include "core/system/clock.h"
#include "core/system/stacks.h"

namespace vitrain::data {
namespace {

constexpr std::chrono::milliseconds kPatience{500};

} // namespace

Loader::Loader(const Rows& rows, BatchPlan plan, const LoaderOptions& options)
    : rows_(rows), plan_(std::move(plan)), options_(options) {
  VITRAIN_CHECK(
      options.threads >= 0 && options.depth >= 1 && options.capacity >= 1,
      ExitCode::kInternal,
      "a loader needs threads >= 0, depth >= 1 and capacity >= 1");
  const std::size_t slots =
      options.threads == 0 ? 1 : static_cast<std::size_t>(options.depth) + 1;
  const std::size_t row_bytes = round_up(
      static_cast<std::size_t>(options.capacity) * rows.bytes(), kAlignedBytes);
  const std::size_t batch_bytes =
      row_bytes + round_up(options.tail, kAlignedBytes);
  const std::size_t all_bytes = slots * batch_bytes;
  storage_ = options.allocate ? options.allocate(all_bytes)
                              : SlotMemory(new std::uint8_t[all_bytes]);
  std::fill_n(storage_.get(), all_bytes, std::uint8_t{0});
  slots_.resize(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    slots_[i].rows = storage_.get() + i * batch_bytes;
    slots_[i].batch.tail = {slots_[i].rows + row_bytes, options.tail};
  }
  for (int i = 0; i < std::max(options.threads, 1); ++i) {
    scratch_.push_back(rows.make_scratch());
  }
  filling_.resize(scratch_.size());
  start_threads(options.threads);
  try {
    plan_ahead();
  } catch (...) {
    stop_threads();
    throw;
  }
}

Loader::~Loader() {
  stop_threads();
}

void Loader::start_threads(int threads) {
  const BlockedSignals blocked;
  try {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, i] { work(static_cast<std::size_t>(i)); });
      pthread_setname_np(threads_.back().native_handle(), "vitrain-load");
    }
  } catch (...) {
    stop_threads();
    throw;
  }
}

void Loader::stop_threads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_ready_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
}

// Asks the plan for batches until every free slot has one.
void Loader::plan_ahead() {
  const auto limit = next_sequence_ + static_cast<std::int64_t>(slots_.size());
  while (!plan_ended_ && planned_ < limit) {
    Slot& slot = slot_of(planned_);
    slot.draws.clear();
    if (!plan_(planned_, slot.draws)) {
      plan_ended_ = true;
      return;
    }
    prepare(slot, planned_);
    ++planned_;
    if (slot.batch.count > 0 && !threads_.empty()) {
      {
        const std::lock_guard lock(mutex_);
        pending_.push_back(&slot);
      }
      work_ready_.notify_all();
    }
  }
}

// Prepares a slot, which no thread uses, for the batch of its draws.
void Loader::prepare(Slot& slot, std::int64_t sequence) {
  if (const auto wait = std::exchange(slot.wait, nullptr)) {
    wait();
  }
  const auto count = static_cast<std::int64_t>(slot.draws.size());
  VITRAIN_CHECK(
      count <= options_.capacity,
      ExitCode::kInternal,
      "batch {} has {} samples, more than the loader's capacity of {}",
      sequence,
      count,
      options_.capacity);
  slot.labels.clear();
  if (!rows_.index().classes().empty()) {
    for (const Draw& draw : slot.draws) {
      slot.labels.push_back(rows_.index().label(draw.sample));
    }
  }
  const std::size_t row = rows_.bytes();
  if (slot.filled_rows > count) {
    std::fill(
        slot.rows + static_cast<std::size_t>(count) * row,
        slot.rows + static_cast<std::size_t>(slot.filled_rows) * row,
        std::uint8_t{0});
  }
  slot.filled_rows = count;
  slot.claimed = 0;
  slot.finished = 0;
  slot.warnings = 0;
  slot.clipped = 0;
  slot.clipped_row = -1;
  slot.bad_rows.clear();
  slot.failed_row = -1;
  slot.batch = {
      sequence,
      count,
      {slot.rows, static_cast<std::size_t>(options_.capacity) * row},
      slot.labels,
      slot.draws,
      /*bad=*/{},
      /*clipped=*/0,
      /*clipped_sample=*/-1,
      slot.batch.tail};
}

void Loader::work(std::size_t thread) {
  std::unique_lock lock(mutex_);
  while (true) {
    work_ready_.wait(lock, [&] { return stopping_ || !pending_.empty(); });
    if (stopping_) {
      return;
    }
    Slot& slot = *pending_.front();
    const std::int64_t row = slot.claimed++;
    if (slot.claimed == slot.batch.count) {
      pending_.pop_front();
    }
    filling_[thread] = {
        &slot, slot.draws[static_cast<std::size_t>(row)].sample};
    lock.unlock();
    decode_row(slot, row, *scratch_[thread]);
    lock.lock();
    filling_[thread] = {};
  }
}

// Fills one row of a slot and reports the result; locks mutex_ only to report.
void Loader::decode_row(Slot& slot, std::int64_t row, Rows::Scratch& scratch) {
  const auto i = static_cast<std::size_t>(row);
  Draw& draw = slot.draws[i];
  try {
    FilledRow filled = fill_row(
        rows_,
        options_.bad_samples,
        draw,
        {slot.rows + i * rows_.bytes(), rows_.bytes()},
        scratch);
    draw.sample = filled.sample;
    if (!slot.labels.empty()) {
      slot.labels[i] = rows_.index().label(filled.sample);
    }
    finish_row(slot, row, std::move(filled));
  } catch (const Error& error) {
    fail_row(slot, row, error.code(), error.what());
  } catch (const std::exception& error) {
    fail_row(
        slot,
        row,
        exit_code_of(error),
        rows_.describe(draw.sample) + ": " + error.what());
  }
}

void Loader::finish_row(Slot& slot, std::int64_t row, FilledRow filled) {
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    slot.warnings += filled.defects.warnings;
    if (filled.defects.clipped) {
      ++slot.clipped;
      slot.clipped_row =
          slot.clipped_row < 0 ? row : std::min(slot.clipped_row, row);
    }
    if (filled.bad) {
      slot.bad_rows.emplace_back(row, std::move(*filled.bad));
    }
    last = ++slot.finished == slot.batch.count;
  }
  if (last) {
    batch_ready_.notify_one();
  }
}

void Loader::fail_row(
    Slot& slot,
    std::int64_t row,
    ExitCode code,
    std::string message) {
  {
    const std::lock_guard lock(mutex_);
    // Rows fail in any order; keeps the failure of the lowest row.
    if (slot.failed_row < 0 || row < slot.failed_row) {
      slot.failed_row = row;
      slot.failed_code = code;
      slot.failed_message = std::move(message);
    }
  }
  finish_row(slot, row, {});
}

void Loader::wait_for(Slot& slot) {
  Doing doing("loading a batch");
  if (threads_.empty()) {
    for (std::int64_t row = 0; row < slot.batch.count; ++row) {
      doing.now(
          "reading " +
          rows_.describe(slot.draws[static_cast<std::size_t>(row)].sample));
      decode_row(slot, row, *scratch_.front());
    }
    return;
  }
  std::unique_lock lock(mutex_);
  const auto is_full = [&] { return slot.finished == slot.batch.count; };
  // Shows after a while, as Doing, which file is being read: it may hang.
  while (!batch_ready_.wait_for(lock, kPatience, is_full)) {
    const auto row = std::ranges::find(filling_, &slot, &Row::slot);
    if (row != filling_.end()) {
      doing.now("reading " + rows_.describe(row->sample));
    }
  }
}

const Batch* Loader::next() {
  // A failed batch is not skipped: the same error is thrown again.
  if (failed_ != nullptr) {
    throw Error(failed_->failed_code, failed_->failed_message);
  }
  plan_ahead();
  if (next_sequence_ == planned_) {
    return nullptr;
  }
  Slot& slot = slot_of(next_sequence_);
  const Stopwatch waiting;
  wait_for(slot);
  wait_seconds_ += waiting.seconds();
  if (slot.failed_row >= 0) {
    failed_ = &slot;
    throw Error(slot.failed_code, slot.failed_message);
  }
  image_warnings_ += slot.warnings;
  hand_over(slot);
  ++next_sequence_;
  return &slot.batch;
}

void Loader::keep(std::function<void()> wait) {
  slot_of(next_sequence_ - 1).wait = std::move(wait);
}

// Stores the reports of a finished batch's rows in the batch, in the order of
// the rows.
void Loader::hand_over(Slot& slot) {
  std::ranges::sort(slot.bad_rows, {}, [](const auto& one) {
    return one.first; // number of the row
  });
  slot.bad.clear();
  for (auto& [row, bad] : slot.bad_rows) {
    slot.bad.push_back(std::move(bad));
  }
  slot.batch.bad = slot.bad;
  slot.batch.clipped = slot.clipped;
  if (slot.clipped > 0) {
    slot.batch.clipped_sample =
        slot.draws[static_cast<std::size_t>(slot.clipped_row)].sample;
  }
}

} // namespace vitrain::data
