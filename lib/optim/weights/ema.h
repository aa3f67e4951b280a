#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "optim/weights/flat_state.h"

namespace vitrain::optim {

struct EmaOptions {
  double decay = 0.9999; // share of the old average that an averaging keeps
  bool equal = false; // instead n / (n + 1) in the n-th averaging: the mean
  // Fewer at first: 1 - (1 + n / gamma)^-power in the n-th averaging.
  bool warm_up = false;
  double gamma = 1.0;
  double power = 2.0 / 3.0;
  std::int64_t start = 0; // steps until which the average is a copy
  std::int64_t every = 1; // steps between two averagings
  // Whether the average is updated after a step (from 1), in place of `every`.
  std::function<bool(std::int64_t step)> due{};
  bool average_buffers = true; // false: buffers are copied from the module
};

// Returns the weight of the old average in the (n + 1)-th averaging after
// `start`; 0 for the first. With `every` 1 it equals timm's ModelEmaV3 with
// update_after_step `start`.
double ema_decay(const EmaOptions& options, std::int64_t n);

// Returns the number of averagings up to the end of step `step` (from 1), if
// none was skipped.
std::int64_t averagings_until(const EmaOptions& options, std::int64_t step);

// The average, by default an exponential moving one, of a module's weights and
// buffers: of the parameters that are trained over the flat buffers at once, as
// ModelEmaV3's foreach form computes it. What is not trained, and what are no
// floating-point numbers, it shares with the module.
class Ema {
 public:
  // Begins with a copy. The module and the buffers of `parameters` must outlive
  // it.
  Ema(torch::nn::Module& module,
      const FlatState& parameters,
      const EmaOptions& options);

  // Restarts with a copy of the module's current values.
  void reset();
  // After step `step` (from 1), which changed the weights: averages, if the
  // options say so of this step. Nothing waits for the device.
  void update(std::int64_t step);
  // Number of averagings after `start`. Skipped steps do not count: update() is
  // not called for them.
  std::int64_t averagings() const { return averagings_; }

  // Returns all averages, by their names in the module.
  std::map<std::string, at::Tensor> state() const;
  // Restores the results of state() and averagings(). Throws Error(kWeights)
  // that names missing or wrongly shaped tensors; nothing is changed then.
  void load_state(
      const std::map<std::string, at::Tensor>& state,
      std::int64_t averagings);

  // Averages of the parameters, one flat tensor per group, and of the buffers,
  // by name.
  const std::vector<at::Tensor>& parameters() const { return averages_; }
  std::map<std::string, at::Tensor> buffers() const;

  // Lets the module compute with the averages until it is destroyed. Neither
  // update() nor training meanwhile.
  class InPlace {
   public:
    explicit InPlace(Ema& ema) : ema_(ema) { ema_.exchange(true); }
    ~InPlace() { ema_.exchange(false); }
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    Ema& ema_;
  };

 private:
  struct Buffer {
    std::string name;
    at::Tensor tensor; // the module's
    at::Tensor own; // its memory
    at::Tensor average;
  };

  void copy();
  void exchange(bool averages);

  torch::nn::Module& module_;
  const FlatState& state_;
  EmaOptions options_;
  std::int64_t averagings_ = 0;
  std::vector<at::Tensor> averages_;
  std::vector<Buffer> buffers_; // floating-point ones
};

} // namespace vitrain::optim
