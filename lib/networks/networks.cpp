#include "networks/networks.h"

#include <algorithm>
#include <vector>

#include "core/check.h"
#include "models/families/add_family.h"
#include "models/families/all.h"
#include "networks/add_network.h"

namespace vitrain::networks {
namespace {

struct Row {
  const models::Family* family;
  MakeNetwork make;
};

// Families of this library, then families added by the program.
std::vector<Row>& rows() {
#define VITRAIN_ROW(family, make) Row{&models::family, make},
  static std::vector<Row> rows{VITRAIN_NETWORKS(VITRAIN_ROW)};
#undef VITRAIN_ROW
  return rows;
}

} // namespace

void add_family(const models::Family& family, MakeNetwork make) {
  models::add_family(family);
  rows().push_back({&family, make});
}

std::shared_ptr<Model> make_network(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  const auto row = std::ranges::find(rows(), spec.family, &Row::family);
  VITRAIN_CHECK(
      row != rows().end(),
      ExitCode::kInternal,
      "{}: its family has no networks",
      spec.name);
  return row->make(spec, generator);
}

} // namespace vitrain::networks
