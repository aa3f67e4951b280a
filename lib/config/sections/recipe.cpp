#include "config/sections/recipe.h"

#include "config/schema/schema.h"

namespace vitrain::config {

Schema schema_of(Recipe& recipe) {
  SchemaVisitor visitor;
  recipe.visit(visitor);
  return visitor.take();
}

} // namespace vitrain::config
