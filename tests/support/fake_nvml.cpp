// Replacement of libnvidia-ml.so.1 with four GPUs: number 1 may not be opened,
// number 2 is in MIG mode and has slices with the indices 0 and 3.

#include <cstdio>
#include <cstring>

namespace {
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct Device {
  const char* uuid;
  const char* name;
  unsigned mig;
};
Device devices[4] = {
    {"GPU-zero", "NVIDIA Test", 0},
    {"GPU-one", "NVIDIA Test", 0},
    {"GPU-two", "NVIDIA Test", 1},
    {"GPU-three", "NVIDIA Test\n", 0}};
Device slices[2] = {{"MIG-a", "slice", 0}, {"MIG-b", "slice", 0}};
constexpr int kNoPermission = 4;
constexpr int kNotFound = 6;
bool initialised = false;

int copy(const char* text, char* buffer, unsigned length) {
  std::snprintf(buffer, length, "%s", text);
  return 0;
}
} // namespace

extern "C" {
int nvmlInit_v2() {
  initialised = true;
  return 0;
}
int nvmlShutdown() {
  initialised = false;
  return 0;
}
const char* nvmlErrorString(int code) {
  return code == kNoPermission ? "Insufficient Permissions" : "Error";
}
int nvmlSystemGetDriverVersion(char* buffer, unsigned length) {
  return copy("580.1", buffer, length);
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 4;
  return initialised ? 0 : 1;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** device) {
  *device = &devices[index];
  return index == 1 ? kNoPermission : 0;
}
int nvmlDeviceGetName(Device* device, char* buffer, unsigned length) {
  return copy(device->name, buffer, length);
}
int nvmlDeviceGetUUID(Device* device, char* buffer, unsigned length) {
  return copy(device->uuid, buffer, length);
}
int nvmlDeviceGetMemoryInfo(Device* /*device*/, Memory* memory) {
  *memory = {.total = 80ULL << 30, .free = 1, .used = 2};
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(
    Device* /*device*/,
    int* major,
    int* minor) {
  *major = 7;
  *minor = 5;
  return 0;
}
int nvmlDeviceGetMigMode(Device* device, unsigned* now, unsigned* pending) {
  *now = device->mig;
  *pending = 0;
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(Device* /*device*/, unsigned* count) {
  *count = 7;
  return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(
    Device* /*device*/,
    unsigned index,
    Device** slice) {
  if (index != 0 && index != 3) {
    return kNotFound;
  }
  *slice = &slices[index == 0 ? 0 : 1];
  return 0;
}
}
