#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/foreign/translator.h"

// Translates the arguments of torchvision's references/classification/train.py
// into a recipe.
namespace vitrain::config::foreign {
namespace {

// Networks whose names differ: torchvision's name, timm's name.
constexpr std::pair<std::string_view, std::string_view> kTorchvisionModels[] = {
    {"efficientnet_v2_l", "efficientnetv2_l"},
    {"efficientnet_v2_m", "efficientnetv2_m"},
    {"efficientnet_v2_s", "efficientnetv2_s"},
    {"mnasnet0_5", "mnasnet_050"},
    {"mnasnet0_75", "mnasnet_075"},
    {"mnasnet1_0", "mnasnet_100"},
    {"mobilenet_v2", "mobilenetv2_100"},
    {"mobilenet_v3_large", "mobilenetv3_large_100"},
    {"mobilenet_v3_small", "mobilenetv3_small_100"},
    {"regnet_x_16gf", "regnetx_160"},
    {"regnet_x_1_6gf", "regnetx_016"},
    {"regnet_x_32gf", "regnetx_320"},
    {"regnet_x_3_2gf", "regnetx_032"},
    {"regnet_x_400mf", "regnetx_004_tv"},
    {"regnet_x_800mf", "regnetx_008"},
    {"regnet_x_8gf", "regnetx_080"},
    {"regnet_y_128gf", "regnety_1280"},
    {"regnet_y_16gf", "regnety_160"},
    {"regnet_y_1_6gf", "regnety_016"},
    {"regnet_y_32gf", "regnety_320"},
    {"regnet_y_3_2gf", "regnety_032"},
    {"regnet_y_400mf", "regnety_004"},
    {"regnet_y_800mf", "regnety_008_tv"},
    {"regnet_y_8gf", "regnety_080_tv"},
    {"swin_b", "swin_base_patch4_window7_224"},
    {"swin_s", "swin_small_patch4_window7_224"},
    {"swin_t", "swin_tiny_patch4_window7_224"},
    {"swin_v2_b", "swinv2_base_window8_256"},
    {"swin_v2_s", "swinv2_small_window8_256"},
    {"swin_v2_t", "swinv2_tiny_window8_256"},
    {"vit_b_16", "vit_base_patch16_224"},
    {"vit_b_32", "vit_base_patch32_224"},
    {"vit_h_14", "vit_huge_patch14_224"},
    {"vit_l_16", "vit_large_patch16_224"},
    {"vit_l_32", "vit_large_patch32_224"},
};

// Networks with stochastic depth, and with dropout before the classifier.
// train.py uses the defaults of the networks' functions.
struct TorchvisionDrops {
  std::string_view name;
  double drop_path;
  double dropout = 0.0;
};

constexpr TorchvisionDrops kTorchvisionDrops[] = {
    {"convnext_tiny", 0.1},
    {"convnext_small", 0.4},
    {"convnext_base", 0.5},
    {"convnext_large", 0.5},
    {"efficientnet_b0", 0.2, 0.2},
    {"efficientnet_b1", 0.2, 0.2},
    {"efficientnet_b2", 0.2, 0.3},
    {"efficientnet_b3", 0.2, 0.3},
    {"efficientnet_b4", 0.2, 0.4},
    {"efficientnet_b5", 0.2, 0.4},
    {"efficientnet_b6", 0.2, 0.5},
    {"efficientnet_b7", 0.2, 0.5},
    {"efficientnet_v2_s", 0.2, 0.2},
    {"efficientnet_v2_m", 0.2, 0.3},
    {"efficientnet_v2_l", 0.2, 0.4},
    {"mnasnet0_5", 0.0, 0.2},
    {"mnasnet0_75", 0.0, 0.2},
    {"mnasnet1_0", 0.0, 0.2},
    {"mobilenet_v2", 0.0, 0.2},
    {"mobilenet_v3_large", 0.0, 0.2},
    {"mobilenet_v3_small", 0.0, 0.2},
    {"swin_t", 0.2},
    {"swin_s", 0.3},
    {"swin_b", 0.5},
    {"swin_v2_t", 0.2},
    {"swin_v2_s", 0.3},
    {"swin_v2_b", 0.5},
};

} // namespace

std::string_view name_of_torchvision(std::string_view model) {
  const auto* const found = std::ranges::find(
      kTorchvisionModels,
      model,
      &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kTorchvisionModels) ? "" : found->second;
}

namespace {

class TorchvisionTranslator : private Translator {
 public:
  using Translator::Translator;

  void translate() {
    translate_data();
    translate_model();
    translate_images();
    translate_policy();
    translate_optimizer();
    translate_decay();
    translate_schedule();
    translate_average();
    translate_rest();
  }

 private:
  void translate_data() {
    DataConfig& data = recipe_.data;
    const std::string root = words_.text("data_path");
    const std::string slash = root.ends_with('/') ? "" : "/";
    data.train.path = root + slash + "train";
    data.eval.path = root + slash + "val";
    // torchvision's loader keeps the last batch.
    data.sampler.last_batch = LastBatch::kKeep;
    if (words_.flag("ra_sampler")) {
      data.sampler.policy = SamplerPolicy::kRepeated;
    }
  }

  void translate_model() {
    recipe_.model.name = words_.text("model");
    const auto* const drops = std::ranges::find(
        kTorchvisionDrops, recipe_.model.name, &TorchvisionDrops::name);
    if (drops != std::end(kTorchvisionDrops)) {
      recipe_.model.drop_path = drops->drop_path;
      recipe_.model.head_dropout = drops->dropout;
    }
    if (const auto name = name_of_torchvision(recipe_.model.name);
        !name.empty()) {
      recipe_.model.name = name;
    }
  }

  void translate_images() {
    const std::int64_t train = words_.integer("train_crop_size");
    const std::int64_t eval = words_.integer("val_crop_size");
    recipe_.model.image_size = eval;
    if (train != eval) {
      recipe_.data.augment.image_size = train;
    }
  }

  void translate_policy() {
    AugmentConfig& augment = recipe_.data.augment;
    const std::string policy = words_.text("auto_augment");
    if (!policy.empty()) {
      augment.auto_augment = policy == "ra"
          ? fmt::format(
                "torchvision:randaugment-n2-m{}-b31",
                words_.integer("ra_magnitude"))
          : policy == "ta_wide" ? "torchvision:trivialaugment-b31"
          : policy == "augmix"  ? fmt::format(
                                     "torchvision:augmix-s{}-w3-a1-o1",
                                     words_.integer("augmix_severity"))
                               : "torchvision:autoaugment-" + policy;
    }
    augment.erase.erasing = words_.number("random_erase");
    // The defaults of torchvision's RandomErasing, and its value 0.
    augment.erase.erasing_mode = EraseMode::kConst;
    augment.erase.erasing_area = {0.02, 0.33};
    augment.erase.erasing_aspect = {0.3, 3.3};
  }

  void translate_optimizer() {
    OptimConfig& optim = recipe_.optim;
    const std::string name = words_.text("opt");
    if (name.starts_with("sgd")) {
      optim.name = OptimKind::kSgd;
      optim.nesterov = name.find("nesterov") != std::string::npos;
    } else if (name == "rmsprop") {
      optim.name = OptimKind::kRmsProp;
      optim.eps = 0.0316;
      optim.alpha = 0.9;
    } else if (name != "adamw") {
      left_out("opt", "there is sgd, sgd_nesterov, rmsprop and adamw");
    }
    optim.lr = words_.number("lr");
    if (words_.number("clip_grad_norm") > 0.0) {
      optim.clip_norm = words_.number("clip_grad_norm");
    }
  }

  // Translates weight decay; by default it applies to all parameters.
  void translate_decay() {
    OptimConfig& optim = recipe_.optim;
    const double decay = words_.number("weight_decay");
    optim.weight_decay = decay;
    optim.no_decay.clear();
    const auto exempts = [&](const char* word) {
      if (!words_.has(word) || words_.number(word) == decay) {
        return false;
      }
      if (words_.number(word) != 0.0) {
        left_out(word, "what is exempt does not decay at all: 0");
        return false;
      }
      return true;
    };
    const bool biases = exempts("bias_weight_decay");
    if (exempts("norm_weight_decay")) {
      optim.no_decay = {"norm", "bias"};
      if (!biases) {
        differs(
            "norm_weight_decay",
            "biases that are not of norms do not decay either");
      }
    } else if (biases) {
      optim.no_decay = {"bias"};
    }
    if (exempts("transformer_embedding_decay")) {
      for (const char* name :
           {"cls_token", "pos_embed", "relative_position_bias_table"}) {
        optim.no_decay.emplace_back(name);
      }
    }
  }

  void translate_schedule() {
    ScheduleConfig& schedule = recipe_.schedule;
    schedule.unit = ScheduleUnit::kEpoch;
    std::int64_t interval = words_.integer("lr_step_size");
    const std::int64_t warmup = warm_up();
    const std::string name = words_.text("lr_scheduler");
    if (name == "cosineannealinglr") {
      schedule.name = ScheduleKind::kCosine;
    } else {
      schedule.name = ScheduleKind::kStep;
      if (name == "exponentiallr") {
        interval = 1;
      } else if (name != "steplr") {
        left_out("lr_scheduler", "there are cosine, step and constant");
      }
      // These milestones count from the end of the warm-up.
      for (std::int64_t epoch = warmup + interval;
           warmup > 0 && interval > 0 && epoch < recipe_.run.epochs;
           epoch += interval) {
        schedule.milestones.push_back(in_epochs(static_cast<double>(epoch)));
      }
    }
    schedule.step_every =
        in_epochs(static_cast<double>(std::max<std::int64_t>(1, interval)));
  }

  // Translates the warm-up and returns its number of epochs.
  std::int64_t warm_up() {
    ScheduleConfig& schedule = recipe_.schedule;
    const std::int64_t warmup = words_.integer("lr_warmup_epochs");
    schedule.warmup_lr = recipe_.optim.lr * words_.number("lr_warmup_decay");
    if (warmup > 0 && words_.text("lr_warmup_method") != "linear") {
      left_out(
          "lr_warmup_method",
          "a warm-up is linear; the recipe has that of the same length");
    }
    schedule.warmup = in_epochs(static_cast<double>(warmup));
    return warmup;
  }

  void translate_average() {
    if (!words_.flag("model_ema")) {
      return;
    }
    EmaConfig& ema = recipe_.train.ema;
    if (!words_.given("world_size")) {
      differs(
          "model_ema_decay",
          "for one worker: torchvision adjusts it to the number of processes; "
          "for N of them give --world-size N");
    }
    ema.every = words_.integer("model_ema_steps");
    ema.count = EmaCount::kEpoch;
    const double world = static_cast<double>(
        std::max<std::int64_t>(1, words_.integer("world_size")));
    const double adjust = world *
        static_cast<double>(words_.integer("batch_size") * ema.every) /
        static_cast<double>(std::max<std::int64_t>(
            1, words_.integer("epochs")));
    const double share = (1.0 - words_.number("model_ema_decay")) * adjust;
    ema.decay = 1.0 - std::min(1.0, share);
    ema.start = recipe_.schedule.warmup;
  }

  void translate_rest() {
    // As DistributedDataParallel's broadcast_buffers; translate_machine()
    // replaces it for sync_bn.
    recipe_.dist.batchnorm = BatchNormStatistics::kBroadcast;
    translate_machine("print_freq");
    if (words_.flag("amp")) {
      const bool cpu = words_.text("device") == "cpu";
      recipe_.train.precision = cpu ? Precision::kBf16 : Precision::kFp16;
      if (cpu) {
        differs("amp", "bf16: fp16 is for GPUs");
      }
    } else {
      recipe_.train.precision = Precision::kFp32;
    }
    if (words_.text("output_dir") != ".") {
      recipe_.run.output = words_.text("output_dir");
    }
  }
};

} // namespace

void translate_torchvision(const Words& words, Translation& to) {
  TorchvisionTranslator(words, to).translate();
}

} // namespace vitrain::config::foreign
