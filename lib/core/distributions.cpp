#include "core/distributions.h"

#include <cmath>

namespace vitrain {

// Marsaglia, Tsang, "A simple method for generating gamma variables", ACM TOMS
// 26 (2000): exact by rejection for shapes of at least 1; a smaller shape is
// that of shape + 1 times u^(1 / shape).
double log_gamma_draw(Random& random, double shape) {
  if (shape < 1.0) {
    const double larger = log_gamma_draw(random, shape + 1.0);
    return larger + std::log(1.0 - random.uniform()) / shape;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random.normal();
    const double root = 1.0 + c * x;
    const double log_u = std::log(1.0 - random.uniform());
    if (root <= 0.0) {
      continue;
    }
    const double v = root * root * root;
    if (log_u < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return std::log(d) + std::log(v);
    }
  }
}

// X / (X + Y) of X ~ Gamma(a), Y ~ Gamma(b).
double beta_draw(Random& random, double a, double b) {
  const double log_x = log_gamma_draw(random, a);
  const double log_y = log_gamma_draw(random, b);
  return 1.0 / (1.0 + std::exp(log_y - log_x));
}

} // namespace vitrain
