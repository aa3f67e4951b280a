#pragma once

#include "config/sections/checkpoint.h"
#include "config/sections/data/data.h"
#include "config/sections/devices.h"
#include "config/sections/dist.h"
#include "config/sections/eval.h"
#include "config/sections/log.h"
#include "config/sections/model.h"
#include "config/sections/optim/optim.h"
#include "config/sections/optim/schedule.h"
#include "config/sections/run.h"
#include "config/sections/train.h"

namespace vitrain::config {

// One run, whole: what a YAML file defines after defaults, `base:` files and
// overrides. Plain values; nothing that changes the result lives outside it.
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
    v.section("run", run, "What the run is called and how long it lasts.");
    v.section("devices", devices, "Which devices train.");
    v.section("model", model, "The network.");
    v.section("data", data, "Samples and what is done to them.");
    v.section("optim", optim, "The optimizer.");
    v.section("schedule", schedule, "Learning rate over time.");
    v.section("train", train, "The training step.");
    v.section("dist", dist, "Exchange between workers.");
    v.section("checkpoint", checkpoint, "Saved states.");
    v.section("eval", eval, "Evaluation.");
    v.section("log", log, "What is recorded.");
  }
};

} // namespace vitrain::config
