#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vitrain::fake_cuda {

// A collective as a rank calls it; all ranks have to call the same.
struct Call {
  std::uint32_t kind = 0; // a row of meeting.cpp's names
  std::uint32_t type = 0;
  std::uint32_t operation = 0;
  std::uint32_t root = 0;
  std::uint64_t count = 0;

  bool operator==(const Call&) const = default;
};

enum CallKind : std::uint32_t {
  kAllReduce,
  kBroadcast,
  kReduce,
  kAllGather,
  kReduceScatter,
};

// Synchronises the ranks of a communicator through a file that all of them map.
// Each rank writes its calls and their number; a call is finished when every
// rank has made that many. Different calls are a fatal violation in the rank
// that notices first.
class Meeting {
 public:
  // Waits until all ranks are there.
  Meeting(const std::string& path, int rank, int size);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // Records a call and returns its number. Waits only if another rank has
  // recorded far fewer calls.
  std::uint64_t call(const Call& call);
  bool finished(std::uint64_t number);
  // Ends all waiting.
  void abort();

 private:
  struct Shared;
  std::uint64_t all_have_called() const;
  void check_calls();

  int rank_;
  int size_;
  Shared* shared_;
};

} // namespace vitrain::fake_cuda
