#include <gtest/gtest.h>

#include "config/paddlevit/paddle_family.h"
#include "models/families/family.h"

// The networks that PaddleViT's files name (lib/config cannot see lib/models).
namespace vitrain::models {
namespace {

TEST(PaddleVitFamilies, AreAvailableWhereTheirNetworksAre) {
  for (const config::paddlevit::PaddleFamily& family :
       config::paddlevit::families()) {
    for (const config::paddlevit::Network& network : family.networks) {
      for (const std::string& name : {network.name, network.distilled}) {
        if (!name.empty()) {
          EXPECT_EQ(find_model(name).has_value(), family.available)
              << name << ": " << family.name
              << "'s row in lib/config/paddlevit/ says that it is "
              << (family.available ? "" : "not ") << "available";
        }
      }
    }
  }
}

} // namespace
} // namespace vitrain::models
