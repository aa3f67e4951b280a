#include "networks/networks.h"

#include <algorithm>
#include <array>

#include "core/check.h"
#include "models/families/all.h"

namespace vitrain::networks {
namespace {

struct Row {
  const models::Family* family;
  std::shared_ptr<Model> (
      *make)(const models::ModelSpec&, const at::Generator&);
};

#define VITRAIN_ROW(family, make) Row{&models::family, make},
constexpr std::array kRows{VITRAIN_NETWORKS(VITRAIN_ROW)};
#undef VITRAIN_ROW

} // namespace

std::shared_ptr<Model> make_network(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  const auto row = std::ranges::find(kRows, spec.family, &Row::family);
  VITRAIN_CHECK(
      row != kRows.end(),
      ExitCode::kInternal,
      "{}: its family has no networks",
      spec.name);
  return row->make(spec, generator);
}

} // namespace vitrain::networks
