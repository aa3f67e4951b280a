#pragma once

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "config/load/writer.h"
#include "config/sections/recipe.h"
#include "support/files.h"

namespace vitrain::report {

inline std::string start_line(int steps_per_epoch, int total_steps) {
  return fmt::format(
      R"({{"kind":"start","version":"0.1.0","mode":"train","model":"vit","workers":2,"steps_per_epoch":{},"total_steps":{}}})"
      "\n",
      steps_per_epoch,
      total_steps);
}

inline std::string train_line(int step, double loss) {
  return fmt::format(
      R"({{"kind":"train","step":{},"epoch":1,"batch":1,"loss":{},"count":64,"lr":0.001,"step_seconds":0.5,"images_per_second":128,"data_wait":0.25,"comm_wait":0,"grad_norm":1.5,"samples_hash":"00","top1":50,"top5":90}})"
      "\n",
      step,
      loss);
}

inline std::string eval_line(int step, double loss, double top1) {
  return fmt::format(
      R"({{"kind":"eval","step":{},"epoch":1,"weights":"raw","count":100,"seconds":1.5,"loss":{},"top1":{},"top5":99.5,"correct1":50}})"
      "\n",
      step,
      loss,
      top1);
}

inline std::string done_line(int step, int code) {
  return fmt::format(
      R"({{"kind":"done","step":{},"exit":{},"seconds":60,"best":null}})"
      "\n",
      step,
      code);
}

// A run folder below `folder`: two epochs of two steps.
inline std::filesystem::path write_run(
    const TempFolder& folder,
    const std::string& name,
    const config::Recipe& recipe = {},
    const std::string& end = done_line(4, 0)) {
  folder.write(name + "/config.yaml", config::to_yaml(recipe));
  folder.write(
      name + "/metrics.jsonl",
      start_line(2, 4) + train_line(1, 2.5) + train_line(2, 2.0) +
          eval_line(2, 1.75, 60) + train_line(4, 1.0) + eval_line(4, 1.25, 55) +
          end);
  return folder / name;
}

} // namespace vitrain::report
