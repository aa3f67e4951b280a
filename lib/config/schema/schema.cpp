#include "config/schema/schema.h"

#include "config/sections/recipe.h"

namespace vitrain::config {

Schema schema_of(Recipe& recipe) {
  SchemaVisitor visitor;
  recipe.visit(visitor);
  return visitor.take();
}

} // namespace vitrain::config
