// Breaks a rule of CUDA that the fake checks. usage: break_rule RULE
// What it is caught with: tests/rules_test.cpp.

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "work.h"

namespace {

constexpr std::size_t kBytes = 8192;
// Side of an fp32 matrix with about that many bytes.
constexpr int kSide = 45;

void* on_device(std::size_t bytes = kBytes) {
  void* memory = nullptr;
  cudaMalloc(&memory, bytes);
  return memory;
}

float* pinned() {
  void* memory = nullptr;
  cudaHostAlloc(&memory, kBytes, cudaHostAllocDefault);
  std::memset(memory, 0, kBytes);
  return static_cast<float*>(memory);
}

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0);
  return stream;
}

cudaEvent_t recorded_on(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  cudaEventRecord(event, stream);
  return event;
}

void to_device(void* device, const void* host, cudaStream_t stream) {
  cudaMemcpyAsync(device, host, kBytes, cudaMemcpyHostToDevice, stream);
}

void fill(void* device, cudaStream_t stream) {
  cudaMemsetAsync(device, 0, kBytes, stream);
}

// --- memory

void touch() {
  *static_cast<volatile float*>(on_device()) = 1.0F;
}

void overrun() {
  cudaMemset(on_device(), 0, 2 * kBytes);
}

void host_as_device() {
  cudaMemset(pinned(), 0, kBytes);
}

void free_twice() {
  void* const memory = on_device();
  cudaFree(memory);
  cudaFree(memory);
}

// --- deferred copies

void change_early() {
  cudaStream_t stream = new_stream();
  float* const host = pinned();
  to_device(on_device(), host, stream);
  host[7] = 1.0F;
  cudaStreamSynchronize(stream);
}

// An event of before the copy says nothing of it.
void change_after_the_wrong_event() {
  cudaStream_t stream = new_stream();
  float* const host = pinned();
  cudaEvent_t event = recorded_on(stream);
  to_device(on_device(), host, stream);
  cudaEventSynchronize(event);
  host[7] = 1.0F;
  cudaStreamSynchronize(stream);
}

void change_after_a_wait() {
  cudaStream_t stream = new_stream();
  float* const host = pinned();
  to_device(on_device(), host, stream);
  cudaEventSynchronize(recorded_on(stream));
  host[7] = 1.0F;
  cudaStreamSynchronize(stream);
}

// Exit code 3: data read before its arrival are NaN.
void read_early() {
  cudaStream_t stream = new_stream();
  float* const host = pinned();
  cudaMemcpyAsync(host, on_device(), kBytes, cudaMemcpyDeviceToHost, stream);
  const bool nothing = std::isnan(host[0]);
  cudaStreamSynchronize(stream);
  std::exit(nothing && host[0] == 0.0F ? 3 : 0);
}

// --- order of streams

void use_on_another_stream() {
  void* const device = on_device();
  to_device(device, pinned(), new_stream());
  fill(device, new_stream());
}

void read_on_another_stream() {
  void* const device = on_device();
  to_device(device, pinned(), new_stream());
  cudaMemcpyAsync(
      on_device(), device, kBytes, cudaMemcpyDeviceToDevice, new_stream());
}

void overwrite_what_is_read() {
  void* const device = on_device();
  cudaMemcpyAsync(
      pinned(), device, kBytes, cudaMemcpyDeviceToHost, new_stream());
  fill(device, new_stream());
}

void use_behind_an_event() {
  void* const device = on_device();
  cudaStream_t copies = new_stream();
  cudaStream_t work = new_stream();
  to_device(device, pinned(), copies);
  cudaStreamWaitEvent(work, recorded_on(copies), 0);
  fill(device, work);
}

void use_behind_a_wait() {
  void* const device = on_device();
  cudaStream_t copies = new_stream();
  to_device(device, pinned(), copies);
  cudaStreamSynchronize(copies);
  fill(device, new_stream());
}

// Computes on a copy of another stream, without or with an event in between.
void compute_on_a_copy(
    void (*compute)(void* to, const void* from, cudaStream_t stream),
    bool in_order) {
  void* const device = on_device();
  cudaStream_t copies = new_stream();
  cudaStream_t work = new_stream();
  to_device(device, pinned(), copies);
  if (in_order) {
    cudaStreamWaitEvent(work, recorded_on(copies), 0);
  }
  compute(on_device(), device, work);
}

// Fills memory that a computation uses.
void fill_what_is_computed(
    void (*compute)(void* to, const void* from, cudaStream_t stream),
    bool result) {
  void* const to = on_device();
  void* const from = on_device();
  compute(to, from, new_stream());
  fill(result ? to : from, new_stream());
}

void product(void* to, const void* from, cudaStream_t stream) {
  multiply(to, from, kSide, stream);
}

void lt_product(void* to, const void* from, cudaStream_t stream) {
  multiply(to, from, kSide, stream, /*lt=*/true);
}

void plan(void* to, const void* from, cudaStream_t stream) {
  run_plan(to, from, kBytes, stream);
}

void reader(void*, const void* from, cudaStream_t stream) {
  launch_reader(from, stream);
}

void elementwise(void* to, const void* from, cudaStream_t stream) {
  launch_elementwise(to, from, static_cast<int>(kBytes), stream);
}

void multiply_beyond() {
  multiply(on_device(), on_device(), 2 * kSide, nullptr);
}

// Fills the part of a result after its first byte.
void fill_the_end_of_a_result() {
  auto* const to = static_cast<char*>(on_device());
  launch_elementwise(to, on_device(), static_cast<int>(kBytes), new_stream());
  cudaMemsetAsync(to + kBytes - 1, 0, 1, new_stream());
}

// --- capture

cudaStream_t captured() {
  cudaStream_t stream = new_stream();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  return stream;
}

void wait_in_capture() {
  cudaStreamSynchronize(captured());
}

void ask_in_capture() {
  cudaStreamQuery(captured());
}

void allocate_in_capture() {
  captured();
  on_device();
}

void wait_for_all_in_capture() {
  captured();
  cudaDeviceSynchronize();
}

void copy_pageable_in_capture() {
  void* const device = on_device();
  const std::array<char, kBytes> pageable{};
  to_device(device, pageable.data(), captured());
}

void capture_the_default_stream() {
  cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
}

// --- kernels

void launch_nothing() {
  cudaLaunchKernel(
      reinterpret_cast<const void*>(&launch_nothing),
      dim3(0, 1, 1),
      dim3(32, 1, 1),
      nullptr,
      0,
      nullptr);
}

// --- collectives

// Counts that two ranks sum.
struct Sums {
  std::array<std::size_t, 2> counts;
  std::array<ncclDataType_t, 2> types{ncclFloat32, ncclFloat32};
};

void sum_on_two_ranks(const Sums& sums) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  const pid_t child = ::fork();
  const std::size_t rank = child == 0 ? 1 : 0;
  ncclComm_t group = nullptr;
  ncclCommInitRank(&group, 2, id, static_cast<int>(rank));
  void* const memory = on_device();
  ncclAllReduce(
      memory,
      memory,
      sums.counts.at(rank),
      sums.types.at(rank),
      ncclSum,
      group,
      nullptr);
  cudaStreamSynchronize(nullptr);
  if (child == 0) {
    std::exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

void other_size() {
  sum_on_two_ranks({{16, 32}});
}

void other_type() {
  sum_on_two_ranks({{16, 16}, {ncclFloat32, ncclInt32}});
}

void equal_calls() {
  sum_on_two_ranks({{16, 16}});
}

struct Row {
  std::string_view name;
  void (*breaks)();
};

constexpr std::array kRows{
    Row{"touch", &touch},
    Row{"overrun", &overrun},
    Row{"host_as_device", &host_as_device},
    Row{"free_twice", &free_twice},
    Row{"change_early", &change_early},
    Row{"change_after_the_wrong_event", &change_after_the_wrong_event},
    Row{"change_after_a_wait", &change_after_a_wait},
    Row{"read_early", &read_early},
    Row{"use_on_another_stream", &use_on_another_stream},
    Row{"read_on_another_stream", &read_on_another_stream},
    Row{"overwrite_what_is_read", &overwrite_what_is_read},
    Row{"use_behind_an_event", &use_behind_an_event},
    Row{"use_behind_a_wait", &use_behind_a_wait},
    Row{"multiply_a_copy", [] { compute_on_a_copy(&product, false); }},
    Row{"multiply_behind_an_event", [] { compute_on_a_copy(&product, true); }},
    Row{"multiply_a_copy_lt", [] { compute_on_a_copy(&lt_product, false); }},
    Row{"lt_behind_an_event", [] { compute_on_a_copy(&lt_product, true); }},
    Row{"plan_on_a_copy", [] { compute_on_a_copy(&plan, false); }},
    Row{"plan_behind_an_event", [] { compute_on_a_copy(&plan, true); }},
    Row{"kernel_on_a_copy", [] { compute_on_a_copy(&reader, false); }},
    Row{"kernel_behind_an_event", [] { compute_on_a_copy(&reader, true); }},
    Row{"elementwise_on_a_copy",
        [] { compute_on_a_copy(&elementwise, false); }},
    Row{"fill_a_factor", [] { fill_what_is_computed(&product, false); }},
    Row{"fill_a_product", [] { fill_what_is_computed(&lt_product, true); }},
    Row{"fill_what_a_plan_reads", [] { fill_what_is_computed(&plan, false); }},
    Row{"fill_what_a_plan_writes", [] { fill_what_is_computed(&plan, true); }},
    Row{"fill_what_a_kernel_reads",
        [] { fill_what_is_computed(&reader, false); }},
    Row{"fill_the_end_of_a_result", &fill_the_end_of_a_result},
    Row{"multiply_beyond", &multiply_beyond},
    Row{"wait_in_capture", &wait_in_capture},
    Row{"ask_in_capture", &ask_in_capture},
    Row{"allocate_in_capture", &allocate_in_capture},
    Row{"wait_for_all_in_capture", &wait_for_all_in_capture},
    Row{"copy_pageable_in_capture", &copy_pageable_in_capture},
    Row{"capture_the_default_stream", &capture_the_default_stream},
    Row{"launch_nothing", &launch_nothing},
    Row{"other_size", &other_size},
    Row{"other_type", &other_type},
    Row{"equal_calls", &equal_calls}};

} // namespace

int main(int argc, char** argv) {
  for (const Row& row : kRows) {
    if (argc == 2 && row.name == argv[1]) {
      row.breaks();
      return 0;
    }
  }
  std::fprintf(stderr, "no such rule\n");
  return 2;
}
