"""Part G: a network of every family, and options of recipes, compared with the CPU."""

from correctness import BF16, CPU, FP32, WHOLE, compared, samples, train
from machine import Failed, largest_difference

TITLE = "families and rules beside the CPU (fp32)"
# Allowed relative difference of the first gradient's norm: rounding may flip a ReLU.
NORM = 1e-2

NETWORKS = (
    "vit_tiny_patch16_224", "vit_base_patch16_siglip_224", "deit_tiny_distilled_patch16_224",
    "deit3_small_patch16_224", "beit_base_patch16_224", "swin_tiny_patch4_window7_224",
    "swinv2_tiny_window8_256", "cait_xxs24_224", "xcit_nano_12_p16_224", "pvt_v2_b0",
    "pit_ti_224", "poolformer_s12", "crossvit_tiny_240", "volo_d1_224", "coat_tiny",
    "hvt_ti_1_patch16_224", "levit_128s", "mobilevit_xxs", "mobilevitv2_050", "halonet26t", "botnet26t_256",
    "mobileone_s0", "mixer_s32_224", "resmlp_12_224", "gmlp_ti16_224", "convmixer_768_32",
    "convnext_atto", "convnextv2_atto", "resnet18", "resnet50d", "regnety_002",
    "efficientnet_b0", "tf_efficientnet_lite0", "tf_efficientnetv2_b0",
)

RULES = {
    **{name: (f"optim.name={name}",)
       for name in ("adam", "nadamw", "lamb", "rmsprop", "rmsprop_tf", "adagrad", "adan",
                    "adafactor")},
    "sgd": ("optim.name=sgd", "optim.nesterov=true", "optim.lr=0.05"),
    "lars": ("optim.name=lars", "optim.lr=0.5"),
    "lion": ("optim.name=lion", "optim.lr=1e-4"),
    "muon": ("optim.name=muon",),
    "sam": ("optim.sam=0.05",),
    "lookahead": ("optim.lookahead.every=2",),
    "cautious": ("optim.cautious=true",),
    "adaptive clipping": ("optim.clip_norm=null", "optim.clip_agc=0.02"),
    "layer decay": ("optim.layer_decay=0.75",),
    "accumulation": ("train.accumulate=2",),
    "recompute": ("train.recompute=blocks",),
    "EMA": ("train.ema.decay=0.9",),
    "pruning": ("train.prune.amount=0.5", "train.prune.start=1st", "train.prune.every=2st"),
    "binary cross entropy": ("train.loss=binary_cross_entropy", "train.label_smoothing=0.1"),
    "focal": ("train.loss=focal",),
    "Jensen-Shannon": ("train.loss=jensen_shannon", "data.batch_size=8",
                       "data.augment.auto_augment=augmix-m3-w3"),
    "CutMix by pairs": ("data.augment.cutmix=1.0", "data.augment.mix_mode=pair"),
    "single_process": ("dist.mode=single_process",),
}
# Muon multiplies in bf16. ConvMixer amplifies rounding errors: the norms of timm's
# gradient in fp32 and in fp64 differ by 8e-4 for four images of 56 px.
ROUGH = {"muon": BF16, "convmixer_768_32": 1e-2}
PRECISIONS = ("tf32", "bf16", "fp16")


def numbers(run):
    """Returns the losses of the steps, the first gradient's norm, and the evaluation loss."""
    return run.losses(), run.records("train")[0]["grad_norm"], run.records("eval")[-1]["loss"]


def network(machine, name):
    """Compares two steps of 16 images and an evaluation of eight. The second loss
    depends on the first update. With fewer images, BatchNorm's statistics would
    amplify rounding errors, on CPUs as well."""
    settings = [*WHOLE, f"model.name={name}", "data.batch_size=16", "data.train.count=32",
                "data.eval.count=8", "optim.lr=1e-5"]
    gpu, cpu = (numbers(train(machine, words, settings, 2, "bench_models"))
                for words in ((), CPU))
    losses = largest_difference(gpu[0], cpu[0])
    norm = largest_difference([gpu[1]], [cpu[1]])
    evaluated = largest_difference([gpu[2]], [cpu[2]])
    allowed = ROUGH.get(name, FP32)
    return max(losses, evaluated) <= allowed and norm <= NORM, {
        "losses": losses, "allowed": allowed, "norm of the gradient": norm, "evaluation": evaluated,
        "last loss": cpu[0][-1]}


def rule(machine, settings, allowed):
    steps = 2 if machine.quick else 8
    gpu, cpu = (train(machine, words, settings, steps) for words in ((), CPU))
    if samples(gpu) != samples(cpu):
        raise Failed("GPU and CPU trained with other samples")
    losses = largest_difference(gpu.losses(), cpu.losses())
    evaluated = largest_difference(
        [gpu.records("eval")[-1]["loss"]], [cpu.records("eval")[-1]["loss"]])
    return max(losses, evaluated) <= allowed, {
        "losses": losses, "evaluation": evaluated, "allowed": allowed,
        "last loss": cpu.losses()[-1]}


def precision(machine, name):
    steps = 2 if machine.quick else 20
    return compared(train(machine, (), [f"train.precision={name}"], steps).losses(),
                    train(machine, (), [], steps).losses(), BF16)


def run(part):
    machine = part.machine
    with part.at_once():
        for name in NETWORKS[:1] if machine.quick else NETWORKS:
            part.judge(name, 20, lambda name=name: network(machine, name))
        for name in list(RULES)[:1] if machine.quick else RULES:
            part.judge(name, 15, lambda name=name: rule(
                machine, RULES[name], ROUGH.get(name, FP32)))
        for name in PRECISIONS[:1] if machine.quick else PRECISIONS:
            part.judge(f"{name} beside fp32", 15, lambda name=name: precision(machine, name))
