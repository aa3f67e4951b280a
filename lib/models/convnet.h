#pragma once

#include <cstdint>
#include <memory>

#include "models/model.h"

namespace vitrain::models {

// The network of PyTorch's and Horovod's MNIST examples: convolution 5x5 to 10
// channels, pooling, ReLU; the same to 20 channels with whole channels dropped;
// a linear layer of 50 units with dropout; the classes. Parameters have the
// names there. Requires a resolved spec of the family kConvNet.
std::shared_ptr<Model> make_convnet(const ModelSpec& spec, std::uint64_t seed);

} // namespace vitrain::models
