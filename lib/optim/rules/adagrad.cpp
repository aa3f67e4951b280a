#include <array>

#include <ATen/ops/_fused_adagrad.h>

#include "optim/element_optimizer.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

// Adagrad (Duchi et al., "Adaptive subgradient methods", JMLR 2011) as
// torch.optim.Adagrad computes it.
struct AdagradRule : ElementRule {
  static constexpr std::array kStates{"sum"};

  template <typename T, typename S>
  static auto
  kernel(const RuleOptions& options, const S& lr, const S& /*count*/) {
    return Kernel{
        T(1.0),
        [rate = T(lr),
         decay = T(options.weight_decay),
         small = T(options.numbers.eps)](
            const T& w, const T& gradient, std::array<T, 1>& state) {
          const T g = gradient + w * decay;
          state[0] = state[0] + g * g;
          return g * rate / (sqrt(state[0]) + small);
        }};
  }
};

// Uses torch's fused kernel on CPUs, which has wider vectors than our pass,
// unless the update is cautious.
class Adagrad final : public ElementOptimizer<AdagradRule> {
 public:
  using ElementOptimizer::ElementOptimizer;

 private:
  void update(std::size_t index, const Rate& rate) override {
    const FlatGroup& group = parameters_.groups()[index];
    const Elements<1> elements = elements_of(index);
    if (!elements.weights.is_cpu() || options_.cautious) {
      ElementOptimizer::update(index, rate);
      return;
    }
    at::_fused_adagrad_(
        at::TensorList{elements.weights},
        at::TensorList{elements.gradients},
        at::TensorList{elements.state[0]},
        at::TensorList{rate.count},
        rate.lr,
        /*lr_decay=*/0.0,
        group.weight_decay,
        options_.numbers().eps,
        /*maximize=*/false);
  }
};

} // namespace

const MakeOptimizer make_adagrad = construct<Adagrad>;

} // namespace vitrain::optim
