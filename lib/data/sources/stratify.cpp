#include "data/sources/stratify.h"

#include <cmath>
#include <set>
#include <utility>

namespace vitrain::data {
namespace {

// Number of samples that each part still needs, of one label or of all samples.
struct Wanted {
  double chosen = 0.0;
  double rest = 0.0;

  static Wanted of(std::int64_t samples, double share) {
    const auto all = static_cast<double>(samples);
    return {share * all, (1.0 - share) * all};
  }
  void take(bool is_chosen) { (is_chosen ? chosen : rest) -= 1.0; }
};

class Stratifier {
 public:
  Stratifier(
      const std::vector<std::vector<std::int32_t>>& labels,
      std::int64_t classes,
      double share)
      : labels_(labels),
        chosen_(labels.size()),
        placed_(labels.size()),
        all_(Wanted::of(std::ssize(labels), share)),
        of_label_(static_cast<std::size_t>(classes)) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (const std::int32_t label : labels[i]) {
        at(label).samples.push_back(i);
      }
    }
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(classes); ++c) {
      Label& label = at(c);
      label.left = std::ssize(label.samples);
      label.wanted = Wanted::of(label.left, share);
      if (label.left > 0) {
        queue_.emplace(label.left, c);
      }
    }
  }

  std::vector<bool> run() {
    while (!queue_.empty()) {
      const std::int32_t rarest = queue_.begin()->second;
      for (const std::size_t sample : at(rarest).samples) {
        if (!placed_[sample]) {
          place(sample, prefers_chosen(at(rarest).wanted));
        }
      }
    }
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (!placed_[i]) { // samples without labels even out the total
        place(i, all_.chosen >= 0.5);
      }
    }
    return std::move(chosen_);
  }

 private:
  struct Label {
    std::vector<std::size_t> samples;
    std::int64_t left = 0; // samples not yet assigned to a part
    std::int64_t rest = 0; // samples assigned to the rest
    Wanted wanted;
  };

  Label& at(std::int32_t label) {
    return of_label_[static_cast<std::size_t>(label)];
  }

  bool prefers_chosen(const Wanted& wanted) const {
    return wanted.chosen != wanted.rest ? wanted.chosen > wanted.rest
                                        : all_.chosen > all_.rest;
  }

  // Returns true if choosing the sample would leave the rest without any sample
  // of one of its labels.
  bool is_needed(std::size_t sample) {
    for (const std::int32_t label : labels_[sample]) {
      if (at(label).rest == 0 && at(label).left == 1) {
        return true;
      }
    }
    return false;
  }

  void place(std::size_t sample, bool wants_chosen) {
    const bool chosen = wants_chosen && !is_needed(sample);
    chosen_[sample] = chosen;
    placed_[sample] = true;
    all_.take(chosen);
    for (const std::int32_t number : labels_[sample]) {
      Label& label = at(number);
      queue_.erase({label.left, number});
      if (--label.left > 0) {
        queue_.emplace(label.left, number);
      }
      label.rest += chosen ? 0 : 1;
      label.wanted.take(chosen);
    }
  }

  const std::vector<std::vector<std::int32_t>>& labels_;
  std::vector<bool> chosen_;
  std::vector<bool> placed_;
  Wanted all_;
  std::vector<Label> of_label_;
  // Labels with unassigned samples, the rarest first.
  std::set<std::pair<std::int64_t, std::int32_t>> queue_;
};

} // namespace

std::vector<bool> stratify(
    const std::vector<std::vector<std::int32_t>>& labels,
    std::int64_t classes,
    double share) {
  return Stratifier(labels, classes, share).run();
}

} // namespace vitrain::data
