#pragma once

namespace vitrain::config {

enum class Backend { kAuto, kGloo, kNccl };
enum class SyncMode { kAllreduce };

// How replicas are kept equal.
struct SyncConfig {
  SyncMode mode = SyncMode::kAllreduce;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "mode",
        mode,
        "`allreduce`: gradients are averaged over all devices in every step.");
  }
};

// Seconds after which a section that makes no progress ends the run.
struct TimeoutsConfig {
  double setup = 600.0;
  double step = 600.0;
  double eval = 1800.0;
  double checkpoint = 1800.0;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("setup", setup, "Seconds from the start to the first step.")
        .more_than(0.0)
        .at_most(1e6);
    v.field("step", step, "Seconds for one training step.")
        .more_than(0.0)
        .at_most(1e6);
    v.field("eval", eval, "Seconds for one evaluation batch.")
        .more_than(0.0)
        .at_most(1e6);
    v.field("checkpoint", checkpoint, "Seconds for one checkpoint.")
        .more_than(0.0)
        .at_most(1e6);
  }
};

// Exchange between the workers.
struct DistConfig {
  Backend backend = Backend::kAuto;
  SyncConfig sync;
  double bucket_mb = 25.0;
  double first_bucket_mb = 1.0;
  TimeoutsConfig timeouts;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "backend", backend, "`auto`: nccl between GPUs, gloo between CPUs.");
    v.section("sync", sync, "How replicas are kept equal.");
    v.field(
         "bucket_mb",
         bucket_mb,
         "Size in MiB of the pieces in which gradients are exchanged while "
         "backward runs.")
        .more_than(0.0)
        .at_most(65536.0);
    v.field(
         "first_bucket_mb",
         first_bucket_mb,
         "Size in MiB of the first of them: a small one starts early.")
        .more_than(0.0)
        .at_most(65536.0);
    v.section("timeouts", timeouts, "Limits in seconds.");
  }
};

} // namespace vitrain::config
