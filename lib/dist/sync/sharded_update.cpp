#include "dist/sync/sharded_update.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/system/clock.h"

namespace vitrain::dist {
namespace {

class ShardedUpdate final : public GradientSync {
 public:
  ShardedUpdate(
      Group& group,
      std::unique_ptr<GradientSync> inner,
      std::vector<ShardedBuffer> parameters)
      : group_(group),
        inner_(std::move(inner)),
        parameters_(std::move(parameters)) {}

  std::int64_t begin_step(const StepInfo& step) override {
    gathered_ = {};
    return inner_->begin_step(step);
  }

  void begin_micro_batch(bool last, bool empty) override {
    inner_->begin_micro_batch(last, empty);
  }

  void end_micro_batch() override { inner_->end_micro_batch(); }
  bool finish() override { return inner_->finish(); }
  bool one_step_late() const override { return inner_->one_step_late(); }

  void apply(const Update& update, const std::function<void()>& own) override {
    inner_->apply(update, own);
  }

  bool updates_alone() const override { return inner_->updates_alone(); }

  void updated() override {
    inner_->updated();
    gather();
  }

  void flush(const std::function<void()>& update) override {
    inner_->flush([&] {
      update();
      gather();
    });
  }

  std::map<std::string, at::Tensor> state() const override {
    return inner_->state();
  }

  std::int64_t lead() const override { return inner_->lead(); }

  std::optional<double> largest_sent() const override {
    return inner_->largest_sent();
  }

  Traffic traffic() const override {
    Traffic traffic = inner_->traffic();
    traffic.add(gathered_);
    return traffic;
  }

 private:
  void gather() {
    const at::NoGradGuard no_grad;
    const c10::Device device = parameters_.front().whole.device();
    add_exposed(gathered_, device, [&] {
      for (const ShardedBuffer& buffer : parameters_) {
        group_.all_gather_into(buffer.whole, buffer.own);
        gathered_.bytes += bytes_of(group_, buffer.own);
      }
    });
  }

  Group& group_;
  std::unique_ptr<GradientSync> inner_;
  std::vector<ShardedBuffer> parameters_;
  Traffic gathered_;
};

} // namespace

std::unique_ptr<GradientSync> make_sharded_update(
    Group& group,
    std::unique_ptr<GradientSync> inner,
    std::vector<ShardedBuffer> parameters) {
  return std::make_unique<ShardedUpdate>(
      group, std::move(inner), std::move(parameters));
}

} // namespace vitrain::dist
