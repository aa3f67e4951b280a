#include <map>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "models/families/byob.h"
#include "models/families/convmixer.h"
#include "models/families/crossvit.h"
#include "models/families/hvt.h"
#include "models/families/pit.h"
#include "models/families/poolformer.h"
#include "models/families/pvt_v2.h"
#include "networks/model.h"
#include "support/messages.h"
#include "unit/networks/fixtures.h"
#include "weights/archive.h"
#include "weights/names/timm_names.h"

// Names and shapes of other programs' models
// (tests/golden/weights/foreign_names.py) are translated to ours.
namespace vitrain::networks::foreign_names {
namespace {

using models::ModelSpec;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

// An archive that has names only and is never read.
class Names : public weights::Archive {
 public:
  void read(std::size_t /*storage*/, void* /*bytes*/) const override {}

  void add(const std::string& name, const std::vector<std::int64_t>& shape) {
    const weights::StridedPart part{
        .storage = storages.size(),
        .shape = shape,
        .strides = weights::contiguous_strides(shape)};
    storages.push_back(0);
    tensors[name] = {.shape = shape, .parts = {part}};
  }
};

Names names_of_case(const std::string& wanted) {
  Names names;
  for (const auto& row : read_csv("../weights/foreign_names.csv")) {
    if (row.at(0) != wanted) {
      continue;
    }
    std::vector<std::int64_t> shape;
    for (const std::string& size : split(row.at(2), 'x')) {
      shape.push_back(std::stoll(size));
    }
    names.add(row.at(1), shape);
  }
  names.source = wanted;
  names.format = wanted.starts_with("paddlevit") ? "PaddlePaddle" : "PyTorch";
  return names;
}

// Ours, without the counters of batches, which PaddlePaddle does not have.
Shapes shapes_of(const ModelSpec& spec) {
  const auto model = make_model(spec, /*seed=*/0);
  Shapes shapes;
  for (const auto& item : model->named_parameters()) {
    shapes[item.key()] = item.value().sizes().vec();
  }
  for (const auto& item : model->named_buffers()) {
    if (item.value().is_floating_point()) {
      shapes[item.key()] = item.value().sizes().vec();
    }
  }
  return shapes;
}

template <typename Numbers, typename Change>
ModelSpec small(const char* name, const Change& change) {
  ModelSpec spec = *models::find_model(name);
  auto net = spec.get<Numbers>();
  change(net);
  spec.numbers = net;
  spec.num_classes = 7;
  return spec;
}

ModelSpec pvt_v2(const char* name) {
  return small<models::PvtV2Spec>(name, [](models::PvtV2Spec& net) {
    net.depths = {1, 2, 1, 1};
    net.widths = {8, 12, 20, 16};
    net.heads = {1, 2, 5, 4};
    net.mlp_ratios = {2, 2, 1, 2};
  });
}

ModelSpec poolformer(const char* name) {
  return small<models::PoolFormerSpec>(name, [](models::PoolFormerSpec& net) {
    net.depths = {1, 2, 1, 1};
    net.widths = {8, 12, 20, 16};
  });
}

ModelSpec pit(const char* name) {
  return small<models::PitSpec>(name, [](models::PitSpec& net) {
    net.depths = {1, 2, 2};
    net.heads = {1, 2, 4};
    net.head_width = 6;
    net.mlp_ratio = 2;
  });
}

ModelSpec crossvit(const char* name) {
  return small<models::CrossVitSpec>(name, [](models::CrossVitSpec& net) {
    net.widths = {8, 12};
    net.heads = {2, 3};
    net.mlp_ratios = {2, 1};
    net.depths = {1, 2};
    net.stages = 2;
  });
}

ModelSpec convmixer(const char* name) {
  return small<models::ConvMixerSpec>(name, [](models::ConvMixerSpec& net) {
    net.width = 12;
    net.depth = 2;
  });
}

ModelSpec hvt(const char* name) {
  ModelSpec spec = small<models::HvtSpec>(name, [](models::HvtSpec& net) {
    net.embed_dim = 12;
    net.heads = 3;
    net.depth = 3;
    net.pool_every = 2;
    net.patch_size = 8;
  });
  spec.image_size = 32;
  return spec;
}

ModelSpec mobileone(const char* name) {
  return small<models::ByobSpec>(name, [](models::ByobSpec& net) {
    net.stem_width = 16;
    net.stages = models::mobileone_stages(
        {1, 2, 2, 1}, {0.25, 1.0, 0.5, 0.25}, {0, 0, 1, 1}, /*branches=*/2);
  });
}

struct NamesCase {
  const char* name;
  const char* model;
  ModelSpec (*spec)(const char* model);
};

class ForeignNames : public testing::TestWithParam<NamesCase> {};

TEST_P(ForeignNames, AndShapesBecomeOurs) {
  const NamesCase& test = GetParam();
  const std::string name = test.name;
  const Shapes expected = shapes_of(test.spec(test.model));
  for (const std::string& program :
       {std::string("auto"), name.substr(0, name.find('_'))}) {
    Names names = names_of_case(name);
    ASSERT_FALSE(names.tensors.empty());
    weights::to_timm_names(names, program);
    ASSERT_FALSE(names.notes.empty());
    expect_message(names.notes.back(), {});
    Shapes shapes;
    for (const auto& [tensor, stored] : names.tensors) {
      shapes[tensor] = stored.shape;
    }
    EXPECT_EQ(shapes, expected) << program;
  }
}

// The order of what becomes one tensor is not in its shape.
TEST(ForeignKeys, StandBeforeTheirValues) {
  Names names = names_of_case("transformers_pvt_v2");
  const std::string attention = "pvt_v2.encoder.layers.1.blocks.1.attention.";
  const auto storage = [&](const std::string& name) {
    return names.tensors.at(name).parts.at(0).storage;
  };
  const std::size_t key = storage(attention + "key.weight");
  const std::size_t value = storage(attention + "value.weight");
  weights::to_timm_names(names, "auto");
  const auto& parts =
      names.tensors.at("stages.1.blocks.1.attn.kv.weight").parts;
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].storage, key);
  EXPECT_EQ(parts[1].storage, value);
}

std::string test_name(const testing::TestParamInfo<NamesCase>& test) {
  return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ForeignNames,
    testing::Values(
        NamesCase{"paddlevit_pvt_v2", "pvt_v2_b0", pvt_v2},
        NamesCase{"paddlevit_pvt_v2_li", "pvt_v2_b2_li", pvt_v2},
        NamesCase{"transformers_pvt_v2", "pvt_v2_b0", pvt_v2},
        NamesCase{"transformers_pvt_v2_li", "pvt_v2_b2_li", pvt_v2},
        NamesCase{"paddlevit_poolformer", "poolformer_s12", poolformer},
        NamesCase{"transformers_poolformer", "poolformer_s12", poolformer},
        NamesCase{"paddlevit_pit", "pit_ti_224", pit},
        NamesCase{"paddlevit_hvt", "hvt_s2_patch16_224", hvt},
        NamesCase{"paddlevit_mobileone", "mobileone_s4", mobileone},
        NamesCase{"mmpretrain_mobileone", "mobileone_s4", mobileone},
        NamesCase{"paddlevit_pit_distilled", "pit_ti_distilled_224", pit},
        NamesCase{"paddlevit_crossvit", "crossvit_9_240", crossvit},
        NamesCase{
            "paddlevit_crossvit_dagger",
            "crossvit_9_dagger_240",
            crossvit},
        NamesCase{"paddlevit_convmixer", "convmixer_768_32", convmixer}),
    test_name);

} // namespace
} // namespace vitrain::networks::foreign_names
