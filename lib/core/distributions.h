#pragma once

#include "core/random.h"

namespace vitrain {

// Natural logarithm of a draw from Gamma(shape, 1); shape > 0. The logarithm,
// because draws of small shapes are often below the smallest double.
double log_gamma_draw(Random& random, double shape);

// A draw from Beta(a, b); a, b > 0.
double beta_draw(Random& random, double a, double b);

} // namespace vitrain
