// Library for LD_PRELOAD that makes one worker fail, for tests and for
// bench/first_cause.sh. It replaces functions of libc and torch.
//   FAULT=RANK:POINT:COUNT:ACTION
// At the COUNT-th call of POINT, the worker with RANK in $RANK performs ACTION.
// Points:
//   data      opening a file whose path contains $FAULT_PATH
//   exchange  beginning an all-reduce of Gloo
//   save      syncing a file of a checkpoint
//   loss      having computed the loss of a batch
// Actions:
//   hang      waits for ever
//   slow      waits 60 ms, at this and all later calls
//   memory    makes all further allocations of CPU tensors above 256 bytes fail
//   nan       makes the loss NaN (only at the point `loss`)
//   full      makes the call fail as on a full disk (only at the point `save`)
//   NUMBER    sends the process this signal
// Except for slow, first writes the time (seconds of CLOCK_MONOTONIC) to the
// file $FAULT_MARK, which must be set.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Plan {
  bool is_this = false; // this process is the worker that fails
  std::string point;
  int count = 0;
  std::string action;
};

const Plan& plan() {
  static const Plan plan = [] {
    const char* text = std::getenv("FAULT");
    const char* rank = std::getenv("RANK");
    char point[32] = {};
    char action[32] = {};
    int wanted = -1;
    Plan parsed;
    if (text != nullptr && rank != nullptr &&
        std::sscanf(
            text,
            "%d:%31[^:]:%d:%31s",
            &wanted,
            point,
            &parsed.count,
            action) == 4) {
      parsed.is_this = std::atoi(rank) == wanted;
    }
    parsed.point = point;
    parsed.action = action;
    return parsed;
  }();
  return plan;
}

std::atomic<int> calls{0};
std::atomic<bool> no_memory{false};

void mark() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (FILE* file = std::fopen(std::getenv("FAULT_MARK"), "w")) {
    std::fprintf(
        file,
        "%.3f\n",
        static_cast<double>(now.tv_sec) +
            1e-9 * static_cast<double>(now.tv_nsec));
    std::fclose(file);
  }
}

// Call at `point`: performs the action if it is due. Returns true if the caller
// must falsify its result (nan, full).
bool reach(const char* point) {
  if (!plan().is_this || plan().point != point) {
    return false;
  }
  const int call = ++calls;
  if (plan().action == "slow" && call >= plan().count) {
    ::usleep(60000);
  }
  if (call != plan().count || plan().action == "slow") {
    return false;
  }
  mark();
  if (plan().action == "hang") {
    while (true) {
      ::pause();
    }
  }
  if (plan().action == "memory") {
    no_memory = true;
  } else if (const int number = std::atoi(plan().action.c_str())) {
    ::kill(::getpid(), number);
  }
  return plan().action == "nan" || plan().action == "full";
}

template <typename Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Memory layout of a c10::Scalar that holds a double.
struct alignas(16) Scalar {
  int tag = 0;
  alignas(16) double value[2] = {};
};

} // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = va_arg(arguments, int);
  va_end(arguments);
  static auto* const real = original<int(const char*, int, ...)>("open");
  const char* part = std::getenv("FAULT_PATH");
  if (part != nullptr && std::strstr(path, part) != nullptr) {
    reach("data");
  }
  return real(path, flags, mode);
}

int fsync(int fd) {
  static auto* const real = original<int(int)>("fsync");
  char path[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  if (::readlink(link.c_str(), path, sizeof path - 1) > 0 &&
      std::strstr(path, "/checkpoints/") != nullptr && reach("save")) {
    errno = ENOSPC;
    return -1;
  }
  return real(fd);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  static auto* const real =
      original<int(void**, std::size_t, std::size_t)>("posix_memalign");
  return no_memory && size > 256 ? ENOMEM : real(memory, alignment, size);
}

constexpr const char* kAllReduce =
    "_ZN4c10d16ProcessGroupGloo9allreduceERSt6vectorIN2at6TensorESaIS3_EERKNS_"
    "16AllreduceOptionsE";
void* all_reduce(void* result, void* group, void* tensors, void* options) asm(
    "_ZN4c10d16ProcessGroupGloo9allreduceERSt6vectorIN2at6TensorESaIS3_EERKNS_"
    "16AllreduceOptionsE");
void* all_reduce(void* result, void* group, void* tensors, void* options) {
  static auto* const real =
      original<void*(void*, void*, void*, void*)>(kAllReduce);
  reach("exchange");
  return real(result, group, tensors, options);
}

constexpr const char* kLoss =
    "_ZN2at4_ops18cross_entropy_loss4callERKNS_6TensorES4_RKSt8optionalIS2_"
    "ElN3c106SymIntEd";
void* loss(void*, void*, void*, void*, long, void*, double) asm(
    "_ZN2at4_ops18cross_entropy_loss4callERKNS_6TensorES4_RKSt8optionalIS2_"
    "ElN3c106SymIntEd");
void* loss(
    void* result,
    void* outputs,
    void* targets,
    void* weights,
    long reduction,
    void* ignored,
    double smoothing) {
  static auto* const real =
      original<void*(void*, void*, void*, void*, long, void*, double)>(kLoss);
  static auto* const times = original<void*(void*, const Scalar*)>(
      "_ZN2at4_ops11mul__Scalar4callERNS_6TensorERKN3c106ScalarE");
  real(result, outputs, targets, weights, reduction, ignored, smoothing);
  if (reach("loss")) {
    Scalar nan;
    nan.value[0] = std::nan("");
    times(result, &nan);
  }
  return result;
}

} // extern "C"
