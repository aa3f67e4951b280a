// Every network takes images of any number of channels.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/families/family.h"
#include "models/resolve.h"
#include "networks/cost.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

Shapes shapes_of(const std::string& name, std::int64_t channels) {
  config::ModelConfig config;
  config.name = name;
  config.in_chans = channels;
  const models::ModelSpec spec = models::resolve(config, {.outputs = 7});
  const auto network = make_network(spec, at::Generator());
  Shapes shapes;
  for (const auto& item : network->named_parameters()) {
    shapes[item.key()] = item.value().sizes().vec();
  }
  cost_of(spec, *network); // runs it
  return shapes;
}

// Only the layer that reads the pixels changes, and a masked autoencoder's last
// layer, which predicts them.
TEST(AnyChannels, ChangeTheFirstLayerOfEveryFamilyAlone) {
  int families = 0;
  for (const models::Family* family : models::families()) {
    const std::vector<std::string> names = family->list();
    if (names.empty()) {
      continue;
    }
    ++families;
    const std::string& name = names.front();
    SCOPED_TRACE(name);
    const Shapes colours = shapes_of(name, 3);
    for (const std::int64_t channels : {2, 4, 13}) {
      const Shapes shapes = shapes_of(name, channels);
      std::set<std::string> changed;
      for (const auto& [key, shape] : colours) {
        if (shapes.at(key) != shape) {
          changed.insert(key);
        }
      }
      EXPECT_EQ(shapes.size(), colours.size());
      EXPECT_GE(changed.size(), 1u);
      EXPECT_LE(changed.size(), 4u);
    }
  }
  EXPECT_GE(families, 25);
}

} // namespace
} // namespace vitrain::networks
