#include "config/paddlevit/paddlevit_keys.h"

#include <algorithm>
#include <array>

#include "config/schema/suggest.h"
#include "config/schema/values.h"
#include "core/text.h"

namespace vitrain::config::paddlevit {
namespace {

// PaddleViT's keys in the order of its config.py, with the defaults of its ViT.
constexpr std::string_view kWords = R"(
DATA.BATCH_SIZE        | copy integer [1,1048576] | 256 | data.batch_size | per device
DATA.BATCH_SIZE_EVAL   | copy integer [1,1048576] | null | data.eval_batch_size |
    None: as BATCH_SIZE (PaddleViT's own None ends in an error)
DATA.DATA_PATH         | to text filled | /dataset/imagenet/ | data.train.path data.eval.path |
    train_list.txt and val_list.txt in it
DATA.DATASET           | to text of:imagenet2012 | imagenet2012 | data.train.kind data.eval.kind | list
DATA.IMAGE_SIZE        | to integer [1,4096] | 224 | model.image_size model.name
DATA.IMAGE_CHANNELS    | to integer [1,4096] | 3 | model.in_chans
DATA.SECOND_IMAGE_SIZE | idle integer [1,4096] | null | | of BEiT's pretraining
DATA.FMAP_SIZE         | idle integers x2 [1,4096] | null | | follows from IMAGE_SIZE
DATA.CROP_PCT          | to number (0,2] | 0.875 | data.preprocess.crop_pct data.preprocess.resize |
    above 1: a smaller image, with black around it
DATA.NUM_WORKERS       | to integer [0,1024] | null | data.threads |
    threads instead of processes; not set: as many as a worker has cores
DATA.IMAGENET_MEAN     | copy numbers x3 | [0.5, 0.5, 0.5] | data.preprocess.mean
DATA.IMAGENET_STD      | copy numbers x3 (0,) | [0.5, 0.5, 0.5] | data.preprocess.std
MODEL.TYPE             | to text filled | vit | optim.no_decay |
    the family of models; the keys that only it has are left out here
MODEL.NAME             | idle text filled | vit | | a label; the numbers below MODEL make the model
MODEL.RESUME           | idle text | null | | runs are continued with -resume
MODEL.PRETRAINED       | copy text | null | model.pretrained
MODEL.NUM_CLASSES      | copy integer [1,1048576] | 1000 | model.num_classes
MODEL.DROPOUT          | to number [0,1) | 0.0 | model.dropout
MODEL.ATTENTION_DROPOUT | to number [0,1) | 0.0 | model.attention_dropout
MODEL.DROPPATH         | to number [0,1) | 0.0 | model.drop_path |
    applied here; PaddleViT's ViT has the calls commented out
MODEL.PATCH_SIZE       | to integer [1,1024] | 16 | model.patch_size model.name
MODEL.EMBED_DIM        | to integer [1,16384] | 768 | model.name model.embed_dim model.depth model.num_heads
MODEL.NUM_HEADS        | to integer [1,1024] | 12 | model.name model.embed_dim model.depth model.num_heads
MODEL.ATTN_HEAD_SIZE   | idle integer [1,16384] | null | | always EMBED_DIM / NUM_HEADS
MODEL.DEPTH            | to integer [1,1024] | 12 | model.name model.embed_dim model.depth model.num_heads
MODEL.MLP_RATIO        | to number (0,) | 4.0 | model.mlp_ratio
MODEL.QKV_BIAS         | idle flag | true | | there is a bias
TRAIN.LAST_EPOCH       | idle integer [0,1000000] | 0 | | a continued run knows its epoch
TRAIN.NUM_EPOCHS       | copy integer [1,1000000] | 300 | run.epochs
TRAIN.WARMUP_EPOCHS    | to integer [0,1000000] | 32 | schedule.warmup
TRAIN.BASE_LR          | copy number [0,) | 0.003 | optim.lr
TRAIN.WARMUP_START_LR  | copy number [0,) | 1.0e-06 | schedule.warmup_lr
TRAIN.END_LR           | copy number [0,) | 0.0 | schedule.min_lr
TRAIN.WEIGHT_DECAY     | copy number [0,) | 0.3 | optim.weight_decay
TRAIN.GRAD_CLIP        | to number [0,) | null | optim.clip_norm | 0: not at all
TRAIN.ACCUM_ITER       | copy integer [1,1048576] | 1 | train.accumulate |
    micro-batches that an epoch leaves over are dropped and counted (PaddleViT takes a step with a smaller gradient)
TRAIN.LINEAR_SCALED_LR | to integer [1,1099511627776] | null | schedule.scale.rule schedule.scale.base_batch |
    of lr, warmup_lr and min_lr
TRAIN.MODEL_EMA        | to flag | false | train.ema.decay | after each optimizer step (PaddleViT: each micro-batch)
TRAIN.MODEL_EMA_DECAY  | to number | 0.99996 | train.ema.decay
TRAIN.MODEL_EMA_FORCE_CPU | idle flag | true | | the average lies where the weights are
TRAIN.SMOOTHING        | copy number [0,1) | 0.0 | train.label_smoothing |
    applied as it is; PaddleViT takes 0.1 whatever it says
TRAIN.COLOR_JITTER     | to number [0,) | 0.0 | data.augment.color_jitter |
    of brightness, contrast and saturation, without the other two
TRAIN.AUTO_AUGMENT     | to flag | false | data.augment.auto_augment | PaddleViT's AutoAugment; RAND_AUGMENT wins
TRAIN.RAND_AUGMENT     | to flag | false | data.augment.auto_augment | PaddleViT's RandAugment (paddlevit:randaugment)
TRAIN.RAND_AUGMENT_LAYERS | to integer [1,32] | 2 | data.augment.auto_augment
TRAIN.RAND_AUGMENT_MAGNITUDE | to integer [0,100] | 9 | data.augment.auto_augment
TRAIN.MIXUP_ALPHA      | copy number [0,) | 0.0 | data.augment.mixup
TRAIN.MIXUP_PROB       | copy number [0,1] | 1.0 | data.augment.mix_prob | of CutMix, too
TRAIN.MIXUP_SWITCH_PROB | copy number [0,1] | 0.5 | data.augment.mix_switch_prob
TRAIN.MIXUP_MODE       | copy text of:batch,pair,elem | batch | data.augment.mix_mode |
    pair and elem as timm has them (PaddleViT has batch only)
TRAIN.CUTMIX_ALPHA     | copy number [0,) | 0.0 | data.augment.cutmix |
    also without mixup (PaddleViT then mixes up with its alpha)
TRAIN.CUTMIX_MINMAX    | copy numbers x2 rising (0,1] | null | data.augment.cutmix_minmax
TRAIN.RANDOM_ERASE_PROB | to number [0,1] | 0.0 | data.augment.erasing
TRAIN.RANDOM_ERASE_MODE | copy text of:const,rand,pixel | pixel | data.augment.erasing_mode
TRAIN.RANDOM_ERASE_COUNT | to integer [0,64] | 1 | data.augment.erasing_count | 0: nothing is erased
TRAIN.RANDOM_ERASE_SPLIT | idle flag | false | | all of a batch may be erased
TRAIN.DISTILLATION_TYPE | idle text of:none,soft,hard | none | |
    DeiT, PiT, LeViT: except for none, the network has a second head (model.name); train.distill sets a teacher
TRAIN.DISTILLATION_ALPHA | idle number | 0.5 | | belongs to DISTILLATION_TYPE
TRAIN.DISTILLATION_TAU | idle number | 1.0 | | belongs to DISTILLATION_TYPE
TRAIN.TEACHER_MODEL    | idle text | null | | belongs to DISTILLATION_TYPE
TRAIN.LAYER_DECAY      | to number (0,1] | null | optim.layer_decay
TRAIN.NORMALIZE_TARGET | idle flag | true | | model.norm_pix_loss of MAE's pretraining
TRAIN.MULTI_SCALE_SAMPLER_DDP | idle flag | false | | images of one size
TRAIN.LR_SCHEDULER.NAME | idle text of:warmupcosine,cosine,step | warmupcosine | | always warmupcosine
TRAIN.LR_SCHEDULER.MILESTONES | idle text | 30, 60, 90 | | belongs to step
TRAIN.LR_SCHEDULER.DECAY_EPOCHS | idle integer | 30 | | belongs to step
TRAIN.LR_SCHEDULER.DECAY_RATE | idle number | 0.1 | | belongs to step
TRAIN.OPTIMIZER.NAME   | idle text filled | AdamW | | AdamW or AdamWDL; always AdamW here
TRAIN.OPTIMIZER.EPS    | copy number (0,) | 1.0e-08 | optim.eps
TRAIN.OPTIMIZER.BETAS  | copy numbers x2 [0,1) | [0.9, 0.999] | optim.betas
TRAIN.OPTIMIZER.MOMENTUM | idle number | 0.9 | | belongs to SGD
SAVE                   | copy text filled | ./output | run.output
SAVE_FREQ              | to integer [1,1000000] | 10 | checkpoint.every | in epochs; no checkpoint is removed
REPORT_FREQ            | copy integer [1,1000000000] | 20 | log.every | in optimizer steps
VALIDATE_FREQ          | to integer [1,1000000] | 1 | eval.every | in epochs
SEED                   | copy integer [0,) | 0 | run.seed | PaddleViT's order of samples has no seed
EVAL                   | idle flag | false | | evaluation is asked for with -eval
AMP                    | to flag | false | train.precision | True: bf16 (PaddleViT: fp16), but not for -eval; False:
    fp32
NGPUS                  | to integer or:-1 [1,) | -1 | devices.count devices.kind |
    a number of GPUs; -1: all that are visible
TAG                    | idle text | default | | a label
LOCAL_RANK             | idle integer | 0 | | workers know their rank
)";

using enum Otherwise;

constexpr auto kLimits = std::to_array<Limit>({
    {"MODEL.RESUME",
     kNotTrained,
     [](const Config& c) { return !c.values.at("MODEL.RESUME"); },
     "a run is continued with -resume PATH on the command line: set it to "
     "None"},
    {"MODEL.DROPOUT",
     kNotTrained,
     [](const Config& c) {
       return c.vit_numbers || c.number("MODEL.DROPOUT") == 0.0;
     },
     "only ViT and DeiT have dropout in this version",
     "0.0"},
    {"MODEL.ATTENTION_DROPOUT",
     kNotTrained,
     [](const Config& c) {
       return c.vit_numbers || c.number("MODEL.ATTENTION_DROPOUT") == 0.0;
     },
     "only ViT and DeiT have dropout in this version",
     "0.0"},
    {"MODEL.ATTN_HEAD_SIZE",
     kRefused,
     [](const Config& c) {
       const std::int64_t size = c.integer("MODEL.ATTN_HEAD_SIZE");
       return size == 0 ||
           size * c.integer("MODEL.NUM_HEADS") == c.integer("MODEL.EMBED_DIM");
     },
     "must be None or EMBED_DIM / NUM_HEADS: other sizes of attention heads "
     "are not available in this version"},
    {"MODEL.QKV_BIAS",
     kRefused,
     [](const Config& c) { return c.flag("MODEL.QKV_BIAS"); },
     "must be True: attention without a bias is not available in this "
     "version"},
    {"TRAIN.LAST_EPOCH",
     kNotTrained,
     [](const Config& c) { return c.integer("TRAIN.LAST_EPOCH") == 0; },
     "must be 0: a run that is continued with -resume PATH goes on at the "
     "epoch of its checkpoint"},
    {"TRAIN.RANDOM_ERASE_SPLIT",
     kNotTrained,
     [](const Config& c) {
       return !c.flag("TRAIN.RANDOM_ERASE_SPLIT") ||
           c.number("TRAIN.RANDOM_ERASE_PROB") == 0.0;
     },
     "erasing in a part of each batch only is not available in this version",
     "False"},
    {"TRAIN.DISTILLATION_TYPE",
     kTrainedWithout,
     [](const Config& c) {
       return c.text("TRAIN.DISTILLATION_TYPE") == "none";
     },
     "a teacher is told by train.distill: trained without, the mean of both "
     "heads where the network has two"},
    {"TRAIN.MULTI_SCALE_SAMPLER_DDP",
     kNotTrained,
     [](const Config& c) { return !c.flag("TRAIN.MULTI_SCALE_SAMPLER_DDP"); },
     "batches of images of several sizes are not available in this version",
     "False"},
    {"TRAIN.LR_SCHEDULER.NAME",
     kNotTrained,
     [](const Config& c) {
       return c.text("TRAIN.LR_SCHEDULER.NAME") == "warmupcosine";
     },
     "other schedules than warmupcosine are not available for PaddleViT's "
     "files: say schedule.name in a recipe (`vitrain config show` prints it)"},
    {"TRAIN.OPTIMIZER.NAME",
     kNotTrained,
     [](const Config& c) {
       const std::string name = c.text("TRAIN.OPTIMIZER.NAME");
       return name == "AdamW" || name == "AdamWDL";
     },
     "must be AdamW: most of PaddleViT's families train with AdamW whatever "
     "stands here"},
    {"EVAL",
     kNotTrained,
     [](const Config& c) { return !c.flag("EVAL"); },
     "evaluation is asked for with -eval on the command line: set it to "
     "False"},
});

// Adds a rule of a key of words(): `x3` (a list of 3 items), `[0,1)` (a range,
// with both ends, or one), `or:-1` (allowed below the range, too), `rising`,
// `filled` (a text that is not empty), `of:a,b` (one of these).
void add_rule(Field& field, const std::string& rule) {
  if (rule == "rising") {
    field.ascending = true;
  } else if (rule == "filled") {
    field.not_empty = true;
  } else if (rule.starts_with("of:")) {
    field.choices = split(without_prefix(rule, "of:"), ',');
  } else if (rule.starts_with("or:")) {
    parse_double(without_prefix(rule, "or:"), field.exception.emplace());
  } else if (rule.starts_with('x')) {
    field.length = static_cast<std::size_t>(rule[1] - '0');
  } else {
    const std::vector<std::string> ends =
        split(rule.substr(1, rule.size() - 2), ',');
    double value = 0.0;
    if (parse_double(ends[0], value)) {
      field.low = {value, rule.front() == '['};
    }
    if (parse_double(ends[1], value)) {
      field.high = {value, rule.back() == ']'};
    }
  }
}

ScalarType type_of(foreign::Takes takes) {
  using enum foreign::Takes;
  switch (takes) {
    case kFlag:
      return ScalarType::kBool;
    case kInteger:
    case kIntegers:
      return ScalarType::kInteger;
    case kNumber:
    case kNumbers:
      return ScalarType::kNumber;
    default:
      return ScalarType::kText;
  }
}

Field field_of(const foreign::Word& word, Setting& value) {
  Field field{
      .path = word.name,
      .type = type_of(word.takes),
      .list = foreign::takes_list(word.takes),
      .optional = word.initial == "null"};
  for (const std::string& rule : word.rules) {
    add_rule(field, rule);
  }
  field.get = [&value] { return value; };
  field.set = [&value](const Setting& setting) { value = setting; };
  return field;
}

} // namespace

const std::vector<foreign::Word>& words() {
  static const std::vector<foreign::Word> all = foreign::word_table(kWords);
  return all;
}

bool is_common(std::string_view key) {
  const std::vector<std::string> common = split(
      "MODEL.TYPE MODEL.NAME MODEL.RESUME MODEL.PRETRAINED MODEL.NUM_CLASSES "
      "MODEL.DROPOUT MODEL.ATTENTION_DROPOUT MODEL.DROPPATH",
      ' ');
  return std::ranges::find(common, key) != common.end();
}

Schema schema_of(Config& config) {
  Schema schema;
  for (const foreign::Word& word : words()) {
    const std::string section = parent_of(word.name);
    if (section == "MODEL" && !config.vit_numbers && !is_common(word.name)) {
      continue;
    }
    if (!section.empty() &&
        std::ranges::find(schema.sections, section, &Section::path) ==
            schema.sections.end()) {
      schema.sections.push_back({section, ""});
    }
    schema.fields.push_back(field_of(word, config.values[word.name]));
  }
  return schema;
}

bool Config::two_heads() const {
  return family != nullptr && family->two_heads &&
      text("TRAIN.DISTILLATION_TYPE") != "none";
}

const Network* Config::network() const {
  return family == nullptr
      ? nullptr
      : find_network(*family, own, integer("DATA.IMAGE_SIZE"), two_heads());
}

std::span<const Limit> limits() {
  return kLimits;
}

std::string_view idle_beside_others(
    const Config& config,
    std::string_view key) {
  const bool rand = config.flag("TRAIN.RAND_AUGMENT");
  const bool automatic = config.flag("TRAIN.AUTO_AUGMENT");
  if (key.starts_with("TRAIN.RAND_AUGMENT_") && !rand) {
    return "belongs to RAND_AUGMENT, which is False";
  }
  if (key == "TRAIN.AUTO_AUGMENT" && automatic && rand) {
    return "RAND_AUGMENT is True too, and wins";
  }
  if (key == "TRAIN.COLOR_JITTER" && config.number(key) > 0.0 &&
      (automatic || rand)) {
    return "AUTO_AUGMENT or RAND_AUGMENT takes its place";
  }
  if (key == "TRAIN.MODEL_EMA_DECAY" && !config.flag("TRAIN.MODEL_EMA")) {
    return "belongs to MODEL_EMA, which is False";
  }
  return "";
}

} // namespace vitrain::config::paddlevit
