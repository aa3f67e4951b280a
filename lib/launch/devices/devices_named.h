#pragma once

#include <cstdint>
#include <string>

namespace vitrain::launch {

// How many devices a value of CUDA_VISIBLE_DEVICES asks for, whether they are
// there or not: its entries up to one that says "and no more" (-1, as CUDA
// reads any number below 0; NoDevFiles, as Slurm writes it; none; void).
std::int64_t devices_named(const std::string& visible);

} // namespace vitrain::launch
