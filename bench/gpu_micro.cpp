// Measures single parts of a step on the first GPU. Prints a JSON object per
// line.
//
// usage: gpu_micro attention     attention's gradients against fp64 on the CPU
//        gpu_micro copy BATCH    a batch of 224 px through the input path
//        gpu_micro exchange MIB  an all-reduce of NCCL with one rank

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "bench/cuda_device.h"
#include "core/error.h"
#include "core/json.h"
#include "engine/inputs/device_upload.h"
#include "networks/layers/layers.h"

namespace {

using namespace vitrain;

void print(const Json& row) {
  std::printf("%s\n", row.dump().c_str());
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Attention backends of torch; `chosen`: torch's own choice.
constexpr std::array kBackends{"chosen", "math", "flash", "efficient", "cudnn"};

void allow_backend(const std::string& name) {
  at::Context& context = at::globalContext();
  const auto allows = [&](const char* one) {
    return name == "chosen" || name == one;
  };
  context.setSDPUseMath(allows("math"));
  context.setSDPUseFlash(allows("flash"));
  context.setSDPUseMemEfficient(allows("efficient"));
  context.setSDPUseCuDNN(allows("cudnn"));
}

struct Attention {
  std::vector<at::Tensor> inputs; // query, key, value
  // Weights of the sum of the outputs that is differentiated.
  at::Tensor weights;

  // Returns output and gradients, in fp64 on the CPU. `ours`:
  // networks::attention, else torch's attention.
  std::vector<at::Tensor>
  results(c10::Device device, at::ScalarType type, bool ours) const {
    std::vector<at::Tensor> own;
    for (const at::Tensor& input : inputs) {
      own.push_back(input.to(device, type).detach().requires_grad_(true));
    }
    const at::Tensor output = ours
        ? networks::attention(own[0], own[1], own[2])
        : at::scaled_dot_product_attention(own[0], own[1], own[2]);
    (output.to(at::kFloat) * weights.to(device)).sum().backward();
    std::vector<at::Tensor> all{output};
    for (const at::Tensor& input : own) {
      all.push_back(input.grad());
    }
    for (at::Tensor& tensor : all) {
      tensor = tensor.detach().to(at::kCPU, at::kDouble);
    }
    return all;
  }
};

// Returns the largest difference, relative to the largest reference value.
double difference(const at::Tensor& measured, const at::Tensor& reference) {
  return ((measured - reference).abs().max() / reference.abs().max())
      .item<double>();
}

void attention_row(
    c10::Device device,
    std::int64_t queries,
    at::ScalarType type,
    const std::string& backend) {
  constexpr std::int64_t kBatch = 4;
  constexpr std::int64_t kHeads = 6;
  constexpr std::int64_t kKeys = 197;
  constexpr std::int64_t kWidth = 64;
  at::manual_seed(0);
  const auto random = [&](std::int64_t length) {
    // Inputs are rounded first, so that only the computation is compared.
    return at::randn({kBatch, kHeads, length, kWidth}).to(type);
  };
  const Attention attention{
      {random(queries), random(kKeys), random(kKeys)},
      random(queries).to(at::kFloat)};
  Json row{
      {"queries", queries},
      {"type", type == at::kFloat ? "fp32" : "bf16"},
      {"backend", backend}};
  try {
    allow_backend("chosen");
    const auto reference = attention.results(at::kCPU, at::kDouble, true);
    allow_backend(backend);
    const auto measured =
        attention.results(device, type, backend == kBackends[0]);
    row["output"] = difference(measured[0], reference[0]);
    double worst = 0.0;
    for (std::size_t i = 1; i < measured.size(); ++i) {
      worst = std::max(worst, difference(measured[i], reference[i]));
    }
    row["gradients"] = worst;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    row["refused"] = text.substr(0, text.find('\n'));
  }
  print(row);
}

void attention(c10::Device device) {
  for (const std::int64_t queries : {197, 1}) {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
      for (const char* backend : kBackends) {
        attention_row(device, queries, type, backend);
      }
    }
  }
}

// Measures the upload of a batch, which lies in pinned memory as the loader's
// batches do.
void copy(c10::Device device, std::int64_t count) {
  constexpr std::int64_t kImage = std::int64_t{3} * 224 * 224;
  constexpr int kCopies = 50;
  const auto bytes = static_cast<std::size_t>(count * kImage);
  const std::size_t tail = engine::DeviceUpload::room_for(1, count * 8);
  const CudaPlugin& plugin = load_cuda_plugin();
  auto* const memory =
      static_cast<std::uint8_t*>(plugin.allocate_pinned(bytes + tail));
  std::fill_n(memory, bytes + tail, std::uint8_t{1});
  {
    const data::Batch batch{
        .count = count,
        .rows = {memory, bytes},
        .tail = {memory + bytes, tail}};
    engine::DeviceUploads parcels(device);
    const auto send = [&] {
      engine::DeviceUpload upload = parcels.open(batch);
      upload.send();
      upload.sent()();
    };
    std::vector<double> taken;
    for (int i = 0; i < kCopies; ++i) {
      taken.push_back(bench::milliseconds(device, send));
    }
    const at::Tensor pageable = at::ones({count * kImage}, at::kByte);
    std::vector<double> plain;
    for (int i = 0; i < kCopies; ++i) {
      plain.push_back(
          bench::milliseconds(device, [&] { pageable.to(device); }));
    }
    const double gigabytes = static_cast<double>(bytes) / 1e9;
    print(
        {{"images", count},
         {"ms", median(taken)},
         {"GB/s", 1e3 * gigabytes / median(taken)},
         {"pageable GB/s", 1e3 * gigabytes / median(plain)}});
  }
  plugin.free_pinned(memory);
}

void exchange(c10::Device device, std::int64_t mebibytes) {
  constexpr int kCalls = 50;
  constexpr double kSeconds = 60.0;
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto backend = c10::intrusive_ptr<c10d::Backend>::reclaim(
      load_cuda_plugin().make_nccl_backend(store.get(), 0, 1, kSeconds));
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const auto size = static_cast<std::int64_t>(c10::elementSize(type));
    std::vector<at::Tensor> tensors{at::ones(
        {(mebibytes << 20) / size}, at::TensorOptions(device).dtype(type))};
    std::vector<double> taken;
    for (int i = 0; i < kCalls; ++i) {
      taken.push_back(bench::milliseconds(
          device, [&] { backend->allreduce(tensors)->wait(); }));
    }
    print(
        {{"MiB", mebibytes},
         {"type", type == at::kFloat ? "fp32" : "bf16"},
         {"ms", median(taken)}});
  }
  backend->shutdown();
}

int run(std::span<char*> words) {
  const std::string what = words.size() > 1 ? words[1] : "";
  const std::int64_t number = words.size() > 2 ? std::atoll(words[2]) : 0;
  if (what != "attention" &&
      (number < 1 || (what != "copy" && what != "exchange"))) {
    std::fprintf(
        stderr, "usage: gpu_micro attention | copy BATCH | exchange MIB\n");
    return 2;
  }
  const c10::Device device = bench::begin_cuda();
  if (what == "attention") {
    attention(device);
  } else if (what == "copy") {
    copy(device, number);
  } else {
    exchange(device, number);
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(exit_code_of(error));
  }
}
