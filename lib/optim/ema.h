#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "optim/flat_state.h"

namespace vitrain::optim {

struct EmaOptions {
  double decay = 0.9999; // weight of the old average; unused if `equal`
  // True: the weight of the old average is n / (n + 1) after n earlier
  // averagings, which gives the mean of the weights.
  bool equal = false;
  // True: the weight of the old average starts low: 1 - (1 + n / gamma)^-power
  // after n earlier averagings, at most `decay`.
  bool warm_up = false;
  double gamma = 1.0;
  double power = 2.0 / 3.0;
  // Up to this step, due updates copy the weights instead of averaging them.
  std::int64_t start = 0;
  std::int64_t every = 1; // steps between two averagings
  // Returns true if the average is updated after step `step` (from 1). If set,
  // used instead of `every`.
  std::function<bool(std::int64_t step)> due{};
  bool average_buffers = true; // false: buffers are copied from the module
};

// Returns the weight of the old average in the (n + 1)-th averaging after
// `start`; 0 for the first. With `every` 1 it equals timm's ModelEmaV3 with
// update_after_step `start`.
double ema_decay(const EmaOptions& options, std::int64_t n);

// Returns the number of averagings after `start` up to the end of step `step`
// (from 1), if none was skipped.
std::int64_t averagings_until(const EmaOptions& options, std::int64_t step);

// Average of a module's weights and buffers, by default an exponential moving
// average. Averages trained parameters in the flat buffers, as ModelEmaV3 does
// in its foreach form. Parameters that are not trained and integer tensors are
// shared with the module.
class Ema {
 public:
  // Starts with a copy of the current values. The module and the buffers of
  // `parameters` must outlive it.
  Ema(torch::nn::Module& module,
      const FlatState& parameters,
      const EmaOptions& options);

  // Restarts with a copy of the module's current values.
  void reset();
  // Updates the average after step `step` (from 1), which changed the weights,
  // if the options make it due. Does not wait for the device.
  void update(std::int64_t step);
  // Number of averagings after `start`. Skipped steps do not count: update() is
  // not called for them.
  std::int64_t averagings() const { return averagings_; }

  // Returns all averages, and the tensors shared with the module, by their
  // names in the module.
  std::map<std::string, at::Tensor> state() const;
  // Restores the results of state() and averagings(). Throws Error(kWeights)
  // that names missing or wrongly shaped tensors; nothing is changed then.
  void load_state(
      const std::map<std::string, at::Tensor>& state,
      std::int64_t averagings);

  // Return the averages: of the parameters, one flat tensor per group; of the
  // buffers, by name.
  const std::vector<at::Tensor>& parameters() const { return averages_; }
  std::map<std::string, at::Tensor> buffers() const;

  // Makes the module compute with the averages during the lifetime of this
  // object. During it, do not call update() and do not train.
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
    at::Tensor tensor; // the module's buffer
    at::Tensor own; // the module's memory, while the module may use the average
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
