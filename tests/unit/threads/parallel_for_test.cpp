#include "threads/parallel_for.h"

#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>

namespace vitrain::threads {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class ParallelFor : public ::testing::Test {
 protected:
  ParallelFor() { at::set_num_threads(3); }
  ~ParallelFor() override { at::set_num_threads(before_); }

  using Part = std::pair<std::int64_t, std::int64_t>;

  // The parts of a loop, and into threads_ which threads did them.
  std::set<Part> run(std::int64_t begin, std::int64_t end, std::int64_t grain) {
    std::mutex mutex;
    std::set<Part> parts;
    parallel_for(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
      const std::lock_guard lock(mutex);
      parts.emplace(first, last);
      threads_.insert(std::this_thread::get_id());
    });
    return parts;
  }

  std::set<std::thread::id> threads_;

 private:
  int before_ = at::get_num_threads();
};

TEST_F(ParallelFor, IsOnAllThreads) {
  EXPECT_THAT(
      run(10, 17, 1), ElementsAre(Part{10, 13}, Part{13, 16}, Part{16, 17}));
  EXPECT_THAT(threads_, SizeIs(3));
}

TEST_F(ParallelFor, HasOneThreadForLessThanAGrain) {
  EXPECT_THAT(run(0, 8, 8), ElementsAre(Part{0, 8}));
  EXPECT_THAT(threads_, ElementsAre(std::this_thread::get_id()));
  EXPECT_THAT(run(0, 0, 8), SizeIs(0));
}

TEST_F(ParallelFor, ThrowsWhatAPartThrows) {
  const auto throws = [](std::int64_t first, std::int64_t) {
    if (first > 0) {
      throw std::out_of_range("a part");
    }
  };
  EXPECT_THROW(parallel_for(0, 3, 1, throws), std::out_of_range);
}

TEST_F(ParallelFor, InsideOfAnotherIsOnItsThread) {
  std::mutex mutex;
  std::vector<bool> same;
  parallel_for(0, 3, 1, [&](std::int64_t, std::int64_t) {
    const std::thread::id outer = std::this_thread::get_id();
    parallel_for(0, 100, 1, [&](std::int64_t first, std::int64_t last) {
      const std::lock_guard lock(mutex);
      same.push_back(
          std::this_thread::get_id() == outer && first == 0 && last == 100);
    });
  });
  EXPECT_THAT(same, ElementsAre(true, true, true));
}

} // namespace
} // namespace vitrain::threads
