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

// Appends the draws of batch `sequence` (0, 1, 2, ...) to `draws`, which is
// empty; returns false after the last batch. The Loader calls it in order of
// the batches, on the thread that owns the Loader, several batches ahead of
// next().
using BatchPlan =
    std::function<bool(std::int64_t sequence, std::vector<Draw>& draws)>;

// Memory for all batches, aligned for every scalar type; allocated once.
using SlotMemory = std::shared_ptr<std::uint8_t[]>;
using SlotAllocator = std::function<SlotMemory(std::size_t bytes)>;

struct LoaderOptions {
  int threads = 1; // 0: next() fills the rows itself
  // Number of batches prepared ahead of the current one; no effect without
  // threads.
  int depth = 2;
  std::int64_t capacity = 1; // maximum number of samples in a batch
  BadSamplePolicy bad_samples{};
  SlotAllocator allocate{}; // empty: uses operator new
  std::size_t tail = 0; // size of Batch::tail in bytes
};

// One batch. The spans point into a slot of the loader.
struct Batch {
  std::int64_t sequence = 0;
  std::int64_t count = 0;
  // [capacity, Rows::bytes()]; rows from `count` on are zero.
  std::span<const std::uint8_t> rows;
  std::span<const std::int64_t> labels; // [count], of `draws`; empty: vectors
  // [count]; for a replaced sample, the draw of its replacement.
  std::span<const Draw> draws;
  // Replaced samples, in the order of the rows.
  std::span<const BadSample> bad;
  // Number of images whose values were clipped (RowDefects::clipped), and the
  // sample of the first one (-1: none).
  std::int64_t clipped = 0;
  std::int64_t clipped_sample = -1;
  // Memory for the caller's own use, after the rows in the same allocation.
  std::span<std::uint8_t> tail;
};

// Reads, decodes and transforms batches on worker threads, in the order of the
// plan. The unit of work is one row, so a slow file delays only one batch. All
// memory for batches is allocated once. The worker threads receive no signals.
// The methods must not be called concurrently.
class Loader {
 public:
  // `rows` must outlive the loader.
  Loader(const Rows& rows, BatchPlan plan, const LoaderOptions& options);
  // Waits for the images that are being decoded, then stops the threads.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Returns the next batch, valid until the next call; nullptr after the last
  // one. Throws the Error of the batch's first row that failed; every later
  // call throws it again.
  const Batch* next();
  // Keeps the memory of the last batch valid until `wait` has returned; a later
  // next() calls `wait` before it reuses the memory. The destructor does not
  // call it.
  void keep(std::function<void()> wait);

  // Total seconds that next() has spent waiting for images (with threads = 0:
  // decoding them).
  double wait_seconds() const { return wait_seconds_; }
  // Total number of defects that decoders worked around (Image::warnings) in
  // the batches returned so far.
  std::int64_t image_warnings() const { return image_warnings_; }

 private:
  struct Slot {
    Batch batch;
    std::vector<Draw> draws;
    std::vector<std::int64_t> labels;
    std::vector<BadSample> bad;
    std::uint8_t* rows = nullptr; // Batch::rows
    std::function<void()> wait; // argument of keep(), or null
    std::int64_t filled_rows = 0; // number of leading rows that may be nonzero
    // Guarded by mutex_:
    std::int64_t claimed = 0; // number of rows that threads have taken
    std::int64_t finished = 0; // number of rows filled or failed
    std::int64_t warnings = 0;
    std::int64_t clipped = 0;
    std::int64_t clipped_row = -1; // row of the first clipped image; -1: none
    std::vector<std::pair<std::int64_t, BadSample>> bad_rows;
    std::int64_t failed_row = -1; // lowest row that failed; -1: none
    ExitCode failed_code = ExitCode::kDone;
    std::string failed_message;
  };

  Slot& slot_of(std::int64_t sequence) {
    return slots_[static_cast<std::size_t>(sequence) % slots_.size()];
  }
  // A row that a thread fills; slot null: none.
  struct Row {
    const Slot* slot = nullptr;
    std::int64_t sample = 0;
  };

  void start_threads(int threads);
  void stop_threads();
  void plan_ahead();
  void prepare(Slot& slot, std::int64_t sequence);
  void work(std::size_t thread);
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
  std::int64_t planned_ = 0; // number of batches requested from the plan
  // Sequence number of the next batch to return.
  std::int64_t next_sequence_ = 0;
  // Failed batch, after which next() only throws; or null.
  const Slot* failed_ = nullptr;
  double wait_seconds_ = 0;
  std::int64_t image_warnings_ = 0;
  bool plan_ended_ = false;

  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable batch_ready_;
  // Batches with rows that no thread has claimed yet, in order; guarded by
  // mutex_.
  std::deque<Slot*> pending_;
  std::vector<Row> filling_; // row of each thread; guarded by mutex_
  bool stopping_ = false; // guarded by mutex_
  std::vector<std::thread> threads_;
};

} // namespace vitrain::data
