#pragma once

#include <type_traits>

#include "dist/group/connect.h"
#include "engine/device/session.h"
#include "engine/report/reporter.h"
#include "job/run/job.h"
#include "launch/processes/heartbeat.h"
#include "launch/processes/signals.h"
#include "models/families/vit.h"

namespace vitrain::engine {

inline models::ModelSpec test_vit(
    std::int64_t classes,
    std::int64_t side,
    const models::VitSpec& numbers) {
  models::ModelSpec spec;
  spec.name = "vit_test";
  spec.num_classes = classes;
  spec.image_size = side;
  spec.family = &models::kVit;
  spec.numbers = numbers;
  return spec;
}

inline models::ModelSpec tiny_vit() {
  return test_vit(
      6,
      16,
      {.patch_size = 8,
       .embed_dim = 16,
       .depth = 2,
       .num_heads = 2,
       .mlp_dim = 32});
}

// The only worker of a job, as far as tests need it; one at a time.
struct LoneWorker {
  std::remove_cvref_t<decltype(Session::job)> job;
  dist::Groups groups = dist::connect({.rank = 0, .size = 1});
  launch::Heartbeat heartbeat;
  launch::StopRequest stop{/*supervisor=*/0};
  Reporter reporter{job, /*rank=*/0, /*world=*/1};
  Session session{
      .job = job,
      .groups = groups,
      .heartbeat = heartbeat,
      .stop = stop,
      .observer = reporter};
};

} // namespace vitrain::engine
