#include "config/schema.h"

#include "config/recipe.h"

namespace vitrain::config {

Schema schema_of(Recipe& recipe) {
  SchemaVisitor visitor;
  recipe.visit(visitor);
  return visitor.take();
}

} // namespace vitrain::config
