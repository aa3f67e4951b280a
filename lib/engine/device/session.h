#pragma once

#include <cstdint>
#include <memory>

#include <c10/core/Device.h>

#include "config/rules/plan.h"
#include "data/load/loader.h"
#include "engine/device/observer.h"
#include "job/precision.h"
#include "models/families/spec.h"

namespace vitrain {
class CudaPlugin;
} // namespace vitrain

namespace vitrain::data {
class Index;
class Samplers;
} // namespace vitrain::data

namespace vitrain::dist {
struct Groups;
} // namespace vitrain::dist

namespace vitrain::job {
struct Job;
} // namespace vitrain::job

namespace vitrain::launch {
class Heartbeat;
class StopRequest;
} // namespace vitrain::launch

namespace vitrain::networks {
class Model;
} // namespace vitrain::networks

namespace vitrain::engine {

// State of a worker that is ready to train or evaluate: rank, groups, data and
// model.
struct Session {
  const job::Job& job;
  int rank = 0;
  int world = 1; // workers on all machines
  int local_world = 1; // workers on this machine
  c10::Device device = c10::kCPU;
  const CudaPlugin* cuda = nullptr; // non-null on CUDA devices
  dist::Groups& groups;
  launch::Heartbeat& heartbeat;
  const launch::StopRequest& stop;
  Observer& observer;
  models::ModelSpec spec;
  std::shared_ptr<const data::Index> train_index; // null when evaluating only
  std::shared_ptr<const data::Index> eval_index;
  std::unique_ptr<const data::Samplers> samplers; // null when evaluating only
  config::Plan plan;
  job::PrecisionChoice precision; // of training
  job::PrecisionChoice eval_precision;
  std::shared_ptr<networks::Model> model;
  // Optimizer steps since the run's beginning, also of earlier processes.
  std::int64_t finished_steps = 0;

  // Returns the number of decoding threads: data.threads, or if that is not
  // set, 1 on a CPU, whose cores also compute the step, otherwise one less than
  // the worker's share of the cores (at least 1).
  int loader_threads() const;
  // Returns the allocator of batch memory: pinned for CUDA devices, otherwise
  // empty (ordinary memory).
  data::SlotAllocator slot_allocator() const;
};

} // namespace vitrain::engine
