// NCCL: communicators whose ranks meet (meeting.h). No number is summed.

#include <nccl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "current.h"
#include "faults.h"
#include "meeting.h"
#include "memory.h"
#include "order.h"
#include "record.h"
#include "settings.h"
#include "streams.h"

struct ncclComm {
  std::shared_ptr<vitrain::fake_cuda::Meeting> meeting;
  int device = 0;
  ncclResult_t error = ncclSuccess;
};

namespace vitrain::fake_cuda {
namespace {

constexpr std::size_t kRandomBytes = 16;

std::string place_of_meeting(const ncclUniqueId& id) {
  std::string name;
  for (std::size_t i = 0; i < kRandomBytes; ++i) {
    std::array<char, 3> digits{};
    std::snprintf(
        digits.data(),
        digits.size(),
        "%02x",
        static_cast<unsigned>(static_cast<unsigned char>(id.internal[i])));
    name += digits.data();
  }
  const std::string& folder = settings().folder;
  return (folder.empty() ? "/dev/shm" : folder) + "/meeting-" + name;
}

std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    default:
      return 8;
  }
}

// Elements that a rank sends and receives.
struct Counts {
  std::size_t given;
  std::size_t got;
};

ncclResult_t collective(
    ncclComm_t communicator,
    const void* from,
    void* to,
    Counts counts,
    const Call& call,
    cudaStream_t stream) {
  const std::size_t bytes = size_of(static_cast<ncclDataType_t>(call.type));
  expect_on_device(from, counts.given * bytes, "a collective");
  expect_on_device(to, counts.got * bytes, "a collective");
  use_in_order(
      stream, {from, counts.given * bytes, /*writes=*/false}, "a collective");
  use_in_order(
      stream, {to, counts.got * bytes, /*writes=*/true}, "a collective");
  if (device_of(from) != communicator->device) {
    violation("a collective is given memory of another device than its own");
  }
  if (fault_happens(Fault::kDies, communicator->device)) {
    ::kill(::getpid(), SIGKILL);
  }
  if (fault_happens(Fault::kCollective, communicator->device)) {
    communicator->error = ncclSystemError;
    return ncclSystemError;
  }
  count(Count::kCollectives);
  enqueue_collective(
      stream, communicator->meeting, communicator->meeting->call(call));
  return ncclSuccess;
}

ncclResult_t
join(ncclComm_t* communicator, int size, const ncclUniqueId& id, int rank) {
  use_device(current_device());
  auto made = std::make_unique<ncclComm>();
  made->device = current_device();
  made->meeting = std::make_shared<Meeting>(place_of_meeting(id), rank, size);
  *communicator = made.release();
  return ncclSuccess;
}

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::memset(id, 0, sizeof *id);
  return ::getentropy(id->internal, kRandomBytes) == 0 ? ncclSuccess
                                                       : ncclSystemError;
}

ncclResult_t ncclCommInitRank(
    ncclComm_t* communicator,
    int size,
    ncclUniqueId id,
    int rank) {
  return join(communicator, size, id, rank);
}

ncclResult_t ncclCommInitRankConfig(
    ncclComm_t* communicator,
    int size,
    ncclUniqueId id,
    int rank,
    ncclConfig_t*) {
  return join(communicator, size, id, rank);
}

ncclResult_t ncclCommInitRankScalable(
    ncclComm_t* communicator,
    int size,
    int rank,
    int,
    ncclUniqueId* ids,
    ncclConfig_t*) {
  return join(communicator, size, ids[0], rank);
}

ncclResult_t ncclCommGetAsyncError(
    ncclComm_t communicator,
    ncclResult_t* error) {
  *error = communicator->error;
  return ncclSuccess;
}

ncclResult_t ncclCommCount(ncclComm_t communicator, int* size) {
  *size = communicator->meeting->size();
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(ncclComm_t communicator, int* rank) {
  *rank = communicator->meeting->rank();
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t) {
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  delete communicator;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  communicator->meeting->abort();
  return ncclCommDestroy(communicator);
}

const char* ncclGetErrorString(ncclResult_t error) {
  return error == ncclSuccess    ? "no error"
      : error == ncclSystemError ? "unhandled system error"
                                 : "another error";
}

const char* ncclGetLastError(ncclComm_t) {
  return "";
}

ncclResult_t ncclGroupStart() {
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  return ncclSuccess;
}

ncclResult_t ncclCommRegister(ncclComm_t, void*, std::size_t, void** handle) {
  *handle = nullptr;
  return ncclSuccess;
}

ncclResult_t ncclCommDeregister(ncclComm_t, void*) {
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(
    const void* from,
    void* to,
    std::size_t count,
    ncclDataType_t type,
    ncclRedOp_t operation,
    ncclComm_t communicator,
    cudaStream_t stream) {
  return collective(
      communicator,
      from,
      to,
      {count, count},
      {.kind = kAllReduce,
       .type = static_cast<std::uint32_t>(type),
       .operation = static_cast<std::uint32_t>(operation),
       .count = count},
      stream);
}

ncclResult_t ncclBroadcast(
    const void* from,
    void* to,
    std::size_t count,
    ncclDataType_t type,
    int root,
    ncclComm_t communicator,
    cudaStream_t stream) {
  return collective(
      communicator,
      communicator->meeting->rank() == root ? from : to,
      to,
      {count, count},
      {.kind = kBroadcast,
       .type = static_cast<std::uint32_t>(type),
       .root = static_cast<std::uint32_t>(root),
       .count = count},
      stream);
}

ncclResult_t ncclBcast(
    void* memory,
    std::size_t count,
    ncclDataType_t type,
    int root,
    ncclComm_t communicator,
    cudaStream_t stream) {
  return ncclBroadcast(memory, memory, count, type, root, communicator, stream);
}

ncclResult_t ncclReduce(
    const void* from,
    void* to,
    std::size_t count,
    ncclDataType_t type,
    ncclRedOp_t operation,
    int root,
    ncclComm_t communicator,
    cudaStream_t stream) {
  return collective(
      communicator,
      from,
      to,
      {count, communicator->meeting->rank() == root ? count : 0},
      {.kind = kReduce,
       .type = static_cast<std::uint32_t>(type),
       .operation = static_cast<std::uint32_t>(operation),
       .root = static_cast<std::uint32_t>(root),
       .count = count},
      stream);
}

ncclResult_t ncclAllGather(
    const void* from,
    void* to,
    std::size_t count,
    ncclDataType_t type,
    ncclComm_t communicator,
    cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(communicator->meeting->size());
  return collective(
      communicator,
      from,
      to,
      {count, count * size},
      {.kind = kAllGather,
       .type = static_cast<std::uint32_t>(type),
       .count = count},
      stream);
}

ncclResult_t ncclReduceScatter(
    const void* from,
    void* to,
    std::size_t count,
    ncclDataType_t type,
    ncclRedOp_t operation,
    ncclComm_t communicator,
    cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(communicator->meeting->size());
  return collective(
      communicator,
      from,
      to,
      {count * size, count},
      {.kind = kReduceScatter,
       .type = static_cast<std::uint32_t>(type),
       .operation = static_cast<std::uint32_t>(operation),
       .count = count},
      stream);
}

} // extern "C"
