#include "engine/exchange.h"

namespace vitrain::engine {
namespace {

std::vector<dist::GradientBuffer> gradient_buffers(
    const optim::FlatState& parameters) {
  std::vector<dist::GradientBuffer> buffers;
  for (const optim::FlatGroup& group : parameters.groups()) {
    dist::GradientBuffer buffer{.gradients = group.gradients};
    for (const optim::Segment& segment : group.segments) {
      buffer.slots.push_back({segment.name, segment.parameter, segment.offset});
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

dist::BucketOptions bucket_options(const config::DistConfig& dist) {
  constexpr double kMebibyte = 1 << 20;
  return {
      .first_bytes =
          static_cast<std::int64_t>(dist.first_bucket_mb * kMebibyte),
      .bytes = static_cast<std::int64_t>(dist.bucket_mb * kMebibyte)};
}

} // namespace

std::unique_ptr<dist::GradientSync> make_gradient_sync(
    Session& session,
    const optim::FlatState& parameters) {
  return dist::make_bucketed_all_reduce(
      *session.groups.data,
      gradient_buffers(parameters),
      bucket_options(session.job.recipe.dist));
}

} // namespace vitrain::engine
