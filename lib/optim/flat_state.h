#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <ATen/core/Tensor.h>

namespace torch::nn {
class Module;
} // namespace torch::nn

namespace vitrain::optim {

// A parameter's position in its group's flat buffers.
struct Segment {
  std::string name; // as in the module: "blocks.0.attn.qkv.weight"
  at::Tensor parameter; // view of FlatGroup::parameters
  std::int64_t offset = 0; // elements from the start of the buffer
  std::vector<std::int64_t> shape{}; // shape of the parameter
  // Strides of the dense parameter; convolution weights may be in
  // channels_last.
  std::vector<std::int64_t> strides{};

  // Returns a view of this segment's part of a buffer with the group's layout.
  at::Tensor in(const at::Tensor& buffer) const;
  // Returns `values`, which have the parameter's shape, as [n] in the order of
  // the flat buffer.
  at::Tensor flat(const at::Tensor& values) const;
};

// Share of every buffer that this worker updates if the workers divide the
// update (ZeRO stage 1): share number `index` of `count` shares of equal size.
struct Share {
  std::int64_t index = 0;
  std::int64_t count = 1;
  // True: no parameter is divided between shares; the shares are as small as
  // this allows.
  bool whole_parameters = false;
};

// Settings shared by the parameters of a group.
struct GroupSettings {
  std::string name;
  double weight_decay = 0.0;
  double lr_scale = 1.0; // factor of the schedule's learning rate
  bool exempt = false; // exempt from weight decay by optim.no_decay
  // True: use the optimizer's rule for parameters that is_matrix() (grouping.h)
  // rejects. Only with Muon.
  bool fallback = false;
  // First epoch (from 1) in which the group is trained.
  std::int64_t from_epoch = 1;
  // Last epoch in which the group is trained; nullopt: the run's last.
  std::optional<std::int64_t> until_epoch{};
};

// Returns the sort key of groups: descending lr_scale, then groups with weight
// decay before groups without, then matrices before fallback groups.
inline std::tuple<double, bool, bool> order_of(const GroupSettings& group) {
  return {-group.lr_scale, group.exempt, group.fallback};
}

// Returns the group settings of a parameter. Equal names must mean equal
// settings.
using Grouping = std::function<
    GroupSettings(const std::string& name, at::IntArrayRef shape)>;

// Parameters that share their optimizer settings, in one contiguous buffer.
struct FlatGroup : GroupSettings {
  at::Tensor parameters{}; // [n], fp32
  at::Tensor gradients{}; // [n], fp32
  std::vector<Segment> segments{};

  // Buffer of Share::count shares of equal size: [count * share_size].
  // `parameters` is a view of its beginning; the rest is zeros.
  at::Tensor shares{};
  std::int64_t share_size = 0; // elements, a multiple of 16
  // This worker updates elements [own_begin, own_begin + own_size) of the
  // parameters; own_size equals share_size, except that the last non-empty
  // share may be smaller and later ones empty.
  std::int64_t own_begin = 0;
  std::int64_t own_size = 0;

  bool waits = false; // not trained in this epoch
};

// The trainable parameters of a module and their gradients as flat fp32
// buffers, one pair per parameter group, as Megatron-LM keeps them: an
// operation on all parameters (optimizer, clipping, exchange of gradients,
// copies) is one call per group instead of one per tensor.
//
// The module's parameters and their .grad become views of the buffers, in the
// order in which backward finishes with them (the reverse of the order of
// definition). They keep their strides, so that a convolution in channels_last
// finds its weights and leaves its gradients as it needs them. Segments start
// at multiples of 64 bytes; the gaps stay zero.
class FlatState {
 public:
  // Creates the groups of `grouping`, in the order of order_of(), in which
  // gradients are expected (the last layers first). All parameters must be on
  // one device. Throws Error(kInternal) if a trained parameter is not fp32 or
  // has two names, or if there is none.
  FlatState(
      torch::nn::Module& module,
      const Grouping& grouping,
      const Share& share = {});
  // Groups by decay_grouping().
  FlatState(
      torch::nn::Module& module,
      double weight_decay,
      const std::vector<std::string>& no_decay,
      const Share& share = {});
  // Wraps groups that are part of another FlatState: their buffers and segments
  // exist, and this worker updates all of them.
  explicit FlatState(std::vector<FlatGroup> groups);

  const Share& share() const { return share_; }
  std::vector<FlatGroup>& groups() { return groups_; }
  const std::vector<FlatGroup>& groups() const { return groups_; }
  // Returns the number of trainable values, without gaps.
  std::int64_t parameter_count() const;
  void zero_gradients();
  // Zeroes the gradients of groups that are not trained in this epoch.
  void zero_waiting_gradients();
  // Sets which groups are trained (from_epoch, until_epoch) in epoch `epoch`,
  // from 1.
  void set_epoch(std::int64_t epoch);
  // Sets the weight decay of all groups to `share` times their initial weight
  // decay.
  void scale_weight_decay(double share);
  // Throws Error(kInternal) that names a parameter that was frozen, reshaped or
  // moved to other memory since construction. Cheap enough to call in every
  // step.
  void check_values() const;
  // Same as check_values(), and also throws for parameters of `module` that
  // were added, removed or unfrozen.
  void check_model(const torch::nn::Module& module) const;

 private:
  Share share_;
  std::vector<FlatGroup> groups_;
  std::vector<std::string> frozen_; // parameters that are not trained
  // Initial weight decay of the groups; empty until scaled.
  std::vector<double> full_decay_;
};

// Returns true if a parameter is exempt from weight decay. Entries of
// `no_decay`: `bias` (every bias), `norm` (every other parameter of at most one
// dimension), or the last component(s) of a name.
bool is_no_decay(
    const std::string& name,
    std::int64_t dimensions,
    const std::vector<std::string>& no_decay);

// Returns a grouping into "decay" and "no_decay".
Grouping decay_grouping(
    double weight_decay,
    const std::vector<std::string>& no_decay);

} // namespace vitrain::optim
