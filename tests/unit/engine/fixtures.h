#pragma once

#include <type_traits>

#include "engine/run/session.h"
#include "models/families/vit.h"

namespace vitrain::engine {

inline models::ModelSpec tiny_vit() {
  models::ModelSpec spec;
  spec.name = "vit_test";
  spec.num_classes = 6;
  spec.image_size = 16;
  spec.family = &models::kVit;
  spec.numbers = models::VitSpec{
      .patch_size = 8,
      .embed_dim = 16,
      .depth = 2,
      .num_heads = 2,
      .mlp_dim = 32};
  return spec;
}

// The only worker of a job, as far as tests need it; one at a time.
struct LoneWorker {
  std::remove_cvref_t<decltype(Session::job)> job;
  launch::Heartbeat heartbeat;
  launch::StopRequest stop{/*supervisor=*/0};
  Reporter reporter{job, /*rank=*/0, /*world=*/1};
  Session session{
      .job = job,
      .groups = dist::connect({.rank = 0, .size = 1}),
      .heartbeat = heartbeat,
      .stop = stop,
      .reporter = reporter};
};

} // namespace vitrain::engine
