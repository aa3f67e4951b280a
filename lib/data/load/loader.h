#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "data/load/bad_samples.h"
#include "data/load/rows.h"

namespace vitrain::data {

// Adds the samples of batch `sequence` (0, 1, 2, ...) to `draws`, which is
// empty; returns false after the last batch. Called in order, by the thread
// that owns the Loader, some batches ahead of next().
using BatchPlan =
    std::function<bool(std::int64_t sequence, std::vector<Draw>& draws)>;

// Memory for batches, aligned for any number.
using SlotMemory = std::shared_ptr<std::uint8_t[]>;
using SlotAllocator = std::function<SlotMemory(std::size_t bytes)>;

struct LoaderOptions {
  int threads = 1; // 0: next() itself fills the rows
  int depth = 2; // batches prepared ahead of the one handed out
  std::int64_t capacity = 1; // most samples in a batch
  BadSamplePolicy bad_samples{};
  SlotAllocator allocate{}; // none: ordinary memory
  std::size_t tail = 0; // bytes of Batch::tail
};

// One batch, in a slot of the loader.
struct Batch {
  std::int64_t sequence = 0;
  std::int64_t count = 0;
  // [capacity, Rows::bytes()]; rows from `count` on are zero.
  std::span<const std::uint8_t> rows;
  std::span<const std::int64_t> labels; // [count]; of vectors none
  // [count]; a bad sample's replacement in its place.
  std::span<const Draw> draws;
  // Replaced samples, in the order of the rows.
  std::span<const BadSample> bad;
  // Images whose values were clipped (RowDefects), and the first one's sample.
  std::int64_t clipped = 0;
  std::int64_t clipped_sample = -1;
  // For the caller: memory after the rows in the same allocation.
  std::span<std::uint8_t> tail;
};

// Reads, decodes and transforms batches on threads, in the order of the plan.
// The unit of work is one row, so that a slow file delays one batch only; all
// memory for batches is allocated once. The threads receive no signals. One
// thread at a time calls its methods.
class Loader {
 public:
  // `rows` must outlive the loader.
  Loader(const Rows& rows, BatchPlan plan, const LoaderOptions& options);
  // Stops after the images that are being decoded.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The next batch, valid until the next call, or nullptr at the end. Throws
  // the error of the first bad sample in batch order; then every later call
  // throws it again.
  const Batch* next();
  // Keeps the memory of the last batch valid until `wait` has returned; a later
  // next() calls it before reusing the memory.
  void keep(std::function<void()> wait);

  // Seconds that next() has spent waiting for images (with threads = 0:
  // decoding them), in total.
  double wait_seconds() const { return wait_seconds_; }
  // Defects that decoders worked around (Image::warnings), in the batches
  // handed out.
  std::int64_t image_warnings() const { return image_warnings_; }

 private:
  struct Slot {
    Batch batch;
    std::vector<Draw> draws;
    std::vector<std::int64_t> labels;
    std::vector<BadSample> bad;
    std::uint8_t* rows = nullptr;
    std::function<void()> wait; // of keep(), or null
    std::int64_t filled_rows = 0; // rows that may not be zero
    // Under mutex_:
    std::int64_t claimed = 0;
    std::int64_t finished = 0;
    std::int64_t warnings = 0;
    std::int64_t clipped = 0;
    std::int64_t clipped_row = -1; // the first one
    std::vector<std::pair<std::int64_t, BadSample>> bad_rows;
    std::int64_t failed_row = -1;
    ExitCode failed_code = ExitCode::kDone;
    std::string failed_message;
  };

  Slot& slot_of(std::int64_t sequence) {
    return slots_[static_cast<std::size_t>(sequence) % slots_.size()];
  }
  void start_threads(int threads);
  void stop_threads();
  void plan_ahead();
  void prepare(Slot& slot, std::int64_t sequence);
  void work(Rows::Scratch& scratch);
  void decode_row(Slot& slot, std::int64_t row, Rows::Scratch& scratch);
  void wait_for(Slot& slot);
  void hand_over(Slot& slot);
  void finish_row(Slot& slot, std::int64_t row, FilledRow filled);
  void
  fail_row(Slot& slot, std::int64_t row, ExitCode code, std::string message);

  const Rows& rows_;
  BatchPlan plan_;
  LoaderOptions options_;
  std::vector<std::unique_ptr<Rows::Scratch>> scratch_; // one per thread
  SlotMemory storage_;
  std::vector<Slot> slots_;
  std::int64_t planned_ = 0; // batches that the plan has given
  std::int64_t next_sequence_ = 0; // what next() hands out
  const Slot* failed_ = nullptr; // the batch that ended the loading
  double wait_seconds_ = 0;
  std::int64_t image_warnings_ = 0;
  bool plan_ended_ = false;

  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable batch_ready_;
  // Batches with rows that no thread has taken yet, in order; under mutex_.
  std::deque<Slot*> pending_;
  bool stopping_ = false; // under mutex_
  std::vector<std::thread> threads_;
};

} // namespace vitrain::data
