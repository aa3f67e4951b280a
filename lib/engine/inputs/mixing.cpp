#include "engine/inputs/mixing.h"

#include <algorithm>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

// Columns of the table.
enum Column : std::int64_t {
  kOwnPixels,
  kPartnersPixels,
  kTop,
  kBottom,
  kLeft,
  kRight,
  kOwnLabel,
  kPartnersLabel,
  kColumns,
};

std::int64_t partner_of(std::int64_t row, std::int64_t group, std::int64_t n) {
  const std::int64_t first = row / group * group;
  const std::int64_t last = std::min(first + group, n) - 1;
  return first + last - row;
}

} // namespace

MixTable::MixTable(
    const std::vector<data::Mix>& mixes,
    std::int64_t group,
    const std::function<at::Tensor(const at::Tensor&)>& upload) {
  const auto n = static_cast<std::int64_t>(mixes.size());
  at::Tensor partners = at::empty({n}, at::kLong);
  at::Tensor table = at::empty({n, kColumns}, at::kFloat);
  auto partner = partners.accessor<std::int64_t, 1>();
  auto rows = table.accessor<float, 2>();
  for (std::int64_t i = 0; i < n; ++i) {
    const data::Mix& mix = mixes[static_cast<std::size_t>(i)];
    partner[i] = partner_of(i, group, n);
    auto row = rows[i];
    row[kOwnPixels] = static_cast<float>(mix.pixels);
    row[kPartnersPixels] = static_cast<float>(1.0 - mix.pixels);
    row[kTop] = static_cast<float>(mix.box.top);
    row[kBottom] = static_cast<float>(mix.box.top + mix.box.height);
    row[kLeft] = static_cast<float>(mix.box.left);
    row[kRight] = static_cast<float>(mix.box.left + mix.box.width);
    row[kOwnLabel] = static_cast<float>(mix.label);
    row[kPartnersLabel] = static_cast<float>(1.0 - mix.label);
    pastes_ = pastes_ || (mix.box.width > 0 && mix.box.height > 0);
  }
  partners_ = upload(partners);
  table_ = upload(table);
}

std::int64_t MixTable::row_bytes() {
  constexpr std::int64_t kPartner = sizeof(std::int64_t);
  constexpr std::int64_t kNumber = sizeof(float);
  return kPartner + kColumns * kNumber;
}

at::Tensor MixTable::column(std::int64_t index, std::int64_t dimensions) const {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(dimensions), 1);
  shape[0] = table_.size(0);
  return table_.select(1, index).reshape(shape);
}

at::Tensor MixTable::images(const at::Tensor& images) const {
  const at::Tensor others = images.index_select(0, partners_);
  at::Tensor mixed = images.mul(column(kOwnPixels, 4))
                         .add_(others.mul(column(kPartnersPixels, 4)));
  if (!pastes_) {
    return mixed;
  }
  const at::Tensor y =
      at::arange(images.size(2), table_.options()).unsqueeze(1);
  const at::Tensor x = at::arange(images.size(3), table_.options());
  const at::Tensor inside = y.ge(column(kTop, 4))
                                .logical_and_(y.lt(column(kBottom, 4)))
                                .logical_and(x.ge(column(kLeft, 4)))
                                .logical_and_(x.lt(column(kRight, 4)));
  return at::where(inside, others, mixed);
}

at::Tensor MixTable::shares(const at::Tensor& shares) const {
  return shares.mul(column(kOwnLabel, 2))
      .add_(shares.index_select(0, partners_).mul_(column(kPartnersLabel, 2)));
}

at::Tensor MixTable::weights(const at::Tensor& weights) const {
  return weights.mul(column(kOwnLabel, 1))
      .add_(weights.index_select(0, partners_).mul_(column(kPartnersLabel, 1)));
}

at::Tensor MixTable::labels(const at::Tensor& labels) const {
  return at::where(
      column(kOwnLabel, 1).ge(0.5), labels, labels.index_select(0, partners_));
}

} // namespace vitrain::engine
