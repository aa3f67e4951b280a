#include "logging/run_parameters.h"

#include <algorithm>
#include <iterator>

#include "config/schema/schema.h"
#include "config/schema/values.h"

namespace vitrain::logging {
namespace {

// Returns a value as YAML, but a text without quotes.
std::string value_text(const config::Field& field) {
  const config::Setting setting = field.get();
  const std::string* text = setting && !field.list
      ? std::get_if<std::string>(&setting->front())
      : nullptr;
  return text == nullptr ? config::write_value(field) : *text;
}

} // namespace

std::vector<std::pair<std::string, std::string>> run_parameters(
    config::Recipe recipe) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const config::Field& field : config::schema_of(recipe).fields) {
    list.emplace_back(field.path, value_text(field));
  }
  return list;
}

std::vector<Hyperparameter> hyperparameters(config::Recipe recipe) {
  constexpr std::string_view kAlways[] = {
      "model.name",
      "data.batch_size",
      "optim.name",
      "optim.lr",
      "optim.weight_decay",
      "run.epochs",
      "run.seed"};
  config::Recipe defaults;
  const config::Schema before = config::schema_of(defaults);
  const config::Schema schema = config::schema_of(recipe);
  std::vector<Hyperparameter> list;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    const config::Field& field = schema.fields[i];
    const std::string text = config::write_value(field);
    const bool idle = field.needs_met && !field.needs_met();
    if (std::ranges::find(kAlways, field.path) == std::end(kAlways) &&
        (idle || text == config::write_value(before.fields[i]))) {
      continue;
    }
    Hyperparameter parameter{field.path, value_text(field)};
    const config::Setting setting = field.get();
    if (setting && setting->size() == 1 && !field.list) {
      const config::Scalar& value = setting->front();
      if (const bool* truth = std::get_if<bool>(&value)) {
        parameter.value = *truth;
      } else if (const double* number = std::get_if<double>(&value)) {
        parameter.value = *number;
      } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        parameter.value = static_cast<double>(*whole);
      }
    }
    list.push_back(std::move(parameter));
  }
  return list;
}

} // namespace vitrain::logging
