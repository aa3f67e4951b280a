#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Weights that timm and torchvision publish for networks of vitrain.
namespace vitrain::config::foreign {

// Images that weights were trained and are evaluated with.
struct PublishedImages {
  std::int64_t size; // pixels a side
  std::int64_t test_size; // pixels a side in evaluation; 0: as `size`
  double crop_pct; // image side / resized side; may be above 1
  double test_crop_pct; // crop_pct in evaluation; 0: as `crop_pct`
  std::string_view crop_mode; // name of a CropMode
  std::string_view interpolation; // name of a Filter
  std::array<double, 3> mean;
  std::array<double, 3> std;
  std::string_view names; // of weights; read_entry() has the format
};

struct PublishedWeights {
  // timm's "resnet50.a1_in1k" or torchvision's
  // "ResNet50_Weights.IMAGENET1K_V2"; a name without a tag is a network without
  // published weights.
  std::string_view name;
  std::string network; // vitrain's name: "resnet50"
  // "timm/resnet50.a1_in1k" of the Hugging Face hub; "": none there.
  std::string repository;
  std::string_view file; // name in the cache of torch.hub; "": none there
  bool is_default = false; // timm's choice for the network's name alone
  const PublishedImages* images = nullptr;

  bool is_torchvision() const {
    return name.find("_Weights.") != std::string_view::npos;
  }
};

// Returns all entries of a network, by vitrain's name: timm's default first,
// then timm's others, then torchvision's; empty for an unknown network.
std::vector<PublishedWeights> published_weights(std::string_view network);

// Returns the first weights with this name, or whose file or repository has
// this name; nullopt if there are none.
std::optional<PublishedWeights> find_published(std::string_view name);

} // namespace vitrain::config::foreign
