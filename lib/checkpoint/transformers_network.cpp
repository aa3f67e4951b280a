#include "checkpoint/transformers_network.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::checkpoint {
namespace {

// A network: its name, in which $key stands for the config's value of `key`,
// and values that distinguish its config from others of its model_type, as JSON
// without blanks.
struct Row {
  std::string_view type; // model_type
  std::string_view values; // KEY=VALUE, separated by blanks
  std::string_view name;
};

constexpr auto kRows = std::to_array<Row>({
    {"beit", "hidden_size=768", "beit_base_patch16_$image_size"},
    {"beit", "hidden_size=1024", "beit_large_patch16_$image_size"},
    {"convnext",
     "hidden_sizes=[96,192,384,768] depths=[3,3,9,3]",
     "convnext_tiny"},
    {"convnext",
     "hidden_sizes=[96,192,384,768] depths=[3,3,27,3]",
     "convnext_small"},
    {"convnext", "hidden_sizes=[128,256,512,1024]", "convnext_base"},
    {"convnext", "hidden_sizes=[192,384,768,1536]", "convnext_large"},
    {"convnext", "hidden_sizes=[256,512,1024,2048]", "convnext_xlarge"},
    {"convnextv2", "hidden_sizes=[40,80,160,320]", "convnextv2_atto"},
    {"convnextv2", "hidden_sizes=[48,96,192,384]", "convnextv2_femto"},
    {"convnextv2", "hidden_sizes=[64,128,256,512]", "convnextv2_pico"},
    {"convnextv2", "hidden_sizes=[80,160,320,640]", "convnextv2_nano"},
    {"convnextv2",
     "hidden_sizes=[96,192,384,768] depths=[3,3,9,3]",
     "convnextv2_tiny"},
    {"convnextv2", "hidden_sizes=[128,256,512,1024]", "convnextv2_base"},
    {"convnextv2", "hidden_sizes=[192,384,768,1536]", "convnextv2_large"},
    {"convnextv2", "hidden_sizes=[352,704,1408,2816]", "convnextv2_huge"},
    {"deit",
     "hidden_size=192 "
     "architectures=[\"DeiTForImageClassificationWithTeacher\"]",
     "deit_tiny_distilled_patch16_$image_size"},
    {"deit",
     "hidden_size=384 "
     "architectures=[\"DeiTForImageClassificationWithTeacher\"]",
     "deit_small_distilled_patch16_$image_size"},
    {"deit",
     "hidden_size=768 "
     "architectures=[\"DeiTForImageClassificationWithTeacher\"]",
     "deit_base_distilled_patch16_$image_size"},
    {"dinov2", "hidden_size=384", "vit_small_patch14_dinov2"},
    {"dinov2", "hidden_size=768", "vit_base_patch14_dinov2"},
    {"dinov2", "hidden_size=1024", "vit_large_patch14_dinov2"},
    {"dinov2", "hidden_size=1536", "vit_giant_patch14_dinov2"},
    {"dinov2_with_registers",
     "hidden_size=384",
     "vit_small_patch14_reg4_dinov2"},
    {"dinov2_with_registers",
     "hidden_size=768",
     "vit_base_patch14_reg4_dinov2"},
    {"dinov2_with_registers",
     "hidden_size=1024",
     "vit_large_patch14_reg4_dinov2"},
    {"dinov2_with_registers",
     "hidden_size=1536",
     "vit_giant_patch14_reg4_dinov2"},
    // The images are padded as Keras does it.
    {"efficientnet",
     "width_coefficient=1.0 depth_coefficient=1.0",
     "tf_efficientnet_b0"},
    {"efficientnet",
     "width_coefficient=1.0 depth_coefficient=1.1",
     "tf_efficientnet_b1"},
    {"efficientnet",
     "width_coefficient=1.1 depth_coefficient=1.2",
     "tf_efficientnet_b2"},
    {"efficientnet",
     "width_coefficient=1.2 depth_coefficient=1.4",
     "tf_efficientnet_b3"},
    {"efficientnet",
     "width_coefficient=1.4 depth_coefficient=1.8",
     "tf_efficientnet_b4"},
    {"efficientnet",
     "width_coefficient=1.6 depth_coefficient=2.2",
     "tf_efficientnet_b5"},
    {"efficientnet",
     "width_coefficient=1.8 depth_coefficient=2.6",
     "tf_efficientnet_b6"},
    {"efficientnet",
     "width_coefficient=2.0 depth_coefficient=3.1",
     "tf_efficientnet_b7"},
    {"levit", "hidden_sizes=[128,256,384] depths=[2,3,4]", "levit_128s"},
    {"levit", "hidden_sizes=[128,256,384] depths=[4,4,4]", "levit_128"},
    {"levit", "hidden_sizes=[192,288,384]", "levit_192"},
    {"levit", "hidden_sizes=[256,384,512]", "levit_256"},
    {"levit", "hidden_sizes=[384,512,768]", "levit_384"},
    {"mobilevit", "hidden_sizes=[64,80,96]", "mobilevit_xxs"},
    {"mobilevit", "hidden_sizes=[96,120,144]", "mobilevit_xs"},
    {"mobilevit", "hidden_sizes=[144,192,240]", "mobilevit_s"},
    {"mobilevitv2", "width_multiplier=0.5", "mobilevitv2_050"},
    {"mobilevitv2", "width_multiplier=0.75", "mobilevitv2_075"},
    {"mobilevitv2", "width_multiplier=1.0", "mobilevitv2_100"},
    {"mobilevitv2", "width_multiplier=1.25", "mobilevitv2_125"},
    {"mobilevitv2", "width_multiplier=1.5", "mobilevitv2_150"},
    {"mobilevitv2", "width_multiplier=1.75", "mobilevitv2_175"},
    {"mobilevitv2", "width_multiplier=2.0", "mobilevitv2_200"},
    {"poolformer", "depths=[2,2,6,2]", "poolformer_s12"},
    {"poolformer", "depths=[4,4,12,4]", "poolformer_s24"},
    {"poolformer",
     "depths=[6,6,18,6] hidden_sizes=[64,128,320,512]",
     "poolformer_s36"},
    {"poolformer",
     "depths=[6,6,18,6] hidden_sizes=[96,192,384,768]",
     "poolformer_m36"},
    {"poolformer", "depths=[8,8,24,8]", "poolformer_m48"},
    {"resnet", "depths=[2,2,2,2] layer_type=\"basic\"", "resnet18"},
    {"resnet", "depths=[3,4,6,3] layer_type=\"basic\"", "resnet34"},
    {"resnet", "depths=[2,2,2,2] layer_type=\"bottleneck\"", "resnet26"},
    {"resnet", "depths=[3,4,6,3] layer_type=\"bottleneck\"", "resnet50"},
    {"resnet", "depths=[3,4,23,3] layer_type=\"bottleneck\"", "resnet101"},
    {"resnet", "depths=[3,8,36,3] layer_type=\"bottleneck\"", "resnet152"},
    {"swin",
     "embed_dim=96 depths=[2,2,6,2]",
     "swin_tiny_patch4_window$window_size_$image_size"},
    {"swin",
     "embed_dim=96 depths=[2,2,18,2]",
     "swin_small_patch4_window$window_size_$image_size"},
    {"swin",
     "embed_dim=128",
     "swin_base_patch4_window$window_size_$image_size"},
    {"swin",
     "embed_dim=192",
     "swin_large_patch4_window$window_size_$image_size"},
    {"swinv2",
     "embed_dim=96 depths=[2,2,6,2] pretrained_window_sizes=[0,0,0,0]",
     "swinv2_tiny_window$window_size_$image_size"},
    {"swinv2",
     "embed_dim=96 depths=[2,2,18,2] pretrained_window_sizes=[0,0,0,0]",
     "swinv2_small_window$window_size_$image_size"},
    {"swinv2",
     "embed_dim=128 pretrained_window_sizes=[0,0,0,0]",
     "swinv2_base_window$window_size_$image_size"},
    {"swinv2",
     "embed_dim=128 pretrained_window_sizes=[12,12,12,6]",
     "swinv2_base_window12to$window_size_192to$image_size"},
    {"swinv2",
     "embed_dim=192 pretrained_window_sizes=[0,0,0,0]",
     "swinv2_large_window$window_size_$image_size"},
    {"swinv2",
     "embed_dim=192 pretrained_window_sizes=[12,12,12,6]",
     "swinv2_large_window12to$window_size_192to$image_size"},
    {"vit",
     "hidden_size=192 num_hidden_layers=12",
     "vit_tiny_patch$patch_size_$image_size"},
    {"vit",
     "hidden_size=384 num_hidden_layers=12",
     "vit_small_patch$patch_size_$image_size"},
    {"vit",
     "hidden_size=768 num_hidden_layers=12",
     "vit_base_patch$patch_size_$image_size"},
    {"vit",
     "hidden_size=1024 num_hidden_layers=24",
     "vit_large_patch$patch_size_$image_size"},
    {"vit",
     "hidden_size=1280 num_hidden_layers=32",
     "vit_huge_patch$patch_size_$image_size"},
    {"vit_mae", "hidden_size=768", "mae_vit_base_patch$patch_size"},
    {"vit_mae", "hidden_size=1024", "mae_vit_large_patch$patch_size"},
    {"vit_mae", "hidden_size=1280", "mae_vit_huge_patch$patch_size"},
});

// Returns the config's value of `key` as kRows writes it; "" if it has none.
std::string text_of(const Json& config, std::string_view key) {
  const auto found = config.find(std::string(key));
  return found == config.end() ? "" : to_line(*found).substr(0, 200);
}

bool has_values(const Json& config, const Row& row) {
  return text_of(config, "model_type") == fmt::format("\"{}\"", row.type) &&
      std::ranges::all_of(split(row.values, ' '), [&](const std::string& one) {
           const std::size_t equals = one.find('=');
           std::string text = text_of(config, one.substr(0, equals));
           std::erase(text, ' ');
           return text == one.substr(equals + 1);
         });
}

} // namespace

std::string transformers_network(const Json& config) {
  const auto row = std::ranges::find_if(
      kRows, [&](const Row& one) { return has_values(config, one); });
  std::string name(row == kRows.end() ? std::string_view() : row->name);
  for (const char* key : {"image_size", "patch_size", "window_size"}) {
    const std::string place = fmt::format("${}", key);
    if (const std::size_t at = name.find(place); at != name.npos) {
      name.replace(at, place.size(), text_of(config, key));
    }
  }
  return name;
}

} // namespace vitrain::checkpoint
