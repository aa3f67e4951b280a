#pragma once

#include "config/sections/checkpoint.h"
#include "config/sections/data.h"
#include "config/sections/devices.h"
#include "config/sections/dist.h"
#include "config/sections/eval.h"
#include "config/sections/log.h"
#include "config/sections/model.h"
#include "config/sections/optim.h"
#include "config/sections/run.h"
#include "config/sections/schedule.h"
#include "config/sections/train.h"

namespace vitrain::config {

struct Schema;

// Complete definition of a run, after defaults, `base:` files, the file and
// overrides are merged. Plain values. Together with the data, the initial
// weights, the devices and the program they determine the result.
struct Recipe {
  RunConfig run;
  DevicesConfig devices;
  ModelConfig model;
  DataConfig data;
  OptimConfig optim;
  ScheduleConfig schedule;
  TrainConfig train;
  DistConfig dist;
  CheckpointConfig checkpoint;
  EvalConfig eval;
  LogConfig log;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.section("run", run, "Name and length of the run.");
    v.section("devices", devices, "Which devices train.");
    v.section("model", model, "The network.");
    v.section("data", data, "Samples and their processing.");
    v.section("optim", optim, "The optimizer.");
    v.section("schedule", schedule, "Learning rate over time.");
    v.section("train", train, "The training step.");
    v.section("dist", dist, "Exchange between workers.");
    v.section("checkpoint", checkpoint, "Saved states.");
    v.section("eval", eval, "Evaluation.");
    v.section("log", log, "Records of the run.");
  }
};

// Returns the table of a recipe's sections and keys. Its fields refer to
// `recipe`, which must outlive them.
Schema schema_of(Recipe& recipe);

} // namespace vitrain::config
