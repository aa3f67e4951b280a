"""The side of PyTorch and timm in bench/compare_curves.sh, which documents the comparison."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import timm
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from timm.loss import BinaryCrossEntropy, SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.utils import ModelEmaV3

# a2 needs large batches: with few images, each rounding that flips a ReLU shows in LAMB's
# update.
DEFAULTS = {"STEPS": 100, "BATCH": 16, "IMAGE": 96, "WARMUP": 20, "EXACT": 1} | (
    {"BATCH": 128, "WARMUP": 3125, "EXACT": 0} if sys.argv[1] == "a2" else {})
STEPS, BATCH, IMAGE, WARMUP, EXACT = (
    int(os.environ.get(name, value)) for name, value in DEFAULTS.items())
CLASSES = 10
EMA = 0.99  # for a hundred steps; the recipe's value is for half a million
STOPPED = 75  # vitrain's exit code if run.stop_after ended the run
LIMITS = {"loss": 1e-4, "weights": 1e-3, "average": 1e-4}


class Drop(torch.nn.Module):
    """Stochastic depth with given factors."""

    def __init__(self, rows, row):
        super().__init__()
        self.rows, self.row = rows, row

    def forward(self, x):
        factors = self.rows["drop"][self.row]
        return x * factors.view(-1, *[1] * (x.dim() - 1))


def deit(name="deit_tiny_patch16_224"):
    model = timm.create_model(name, num_classes=CLASSES, img_size=IMAGE)
    rows = {}
    for i, block in enumerate(model.blocks):
        block.drop_path1, block.drop_path2 = Drop(rows, 2 * i), Drop(rows, 2 * i + 1)
    optimizer = create_optimizer_v2(
        model, opt="adamw", lr=1.0, weight_decay=0.05, layer_decay=0.75)
    return model, rows, optimizer, SoftTargetCrossEntropy()


def a2():
    model = timm.create_model("resnet50", num_classes=CLASSES, drop_path_rate=0.05)
    rows = {}
    blocks = [block for name, stage in model.named_children()
              if name.startswith("layer") for block in stage]
    for i, block in enumerate(blocks):
        block.drop_path = Drop(rows, i)
    # timm's LAMB itself clips to the global norm 1.
    optimizer = create_optimizer_v2(model, opt="lamb", lr=1.0, weight_decay=0.02)
    criterion = BinaryCrossEntropy(smoothing=0.0, target_threshold=0.2)
    return model, rows, optimizer, criterion


class Distillation(torch.nn.Module):
    """DeiT's soft distillation (Touvron et al., ICML 2021, equation 2, and the
    published code's scaling by the number of logits)."""

    ALPHA, TEMPERATURE = 0.5, 3.0

    def __init__(self, teacher):
        super().__init__()
        self.teacher, self.images = teacher, None

    def forward(self, outputs, shares):
        with torch.no_grad():
            wanted = self.teacher(self.images)
        t = self.TEMPERATURE
        # Outputs that learn from the labels, and from the teacher.
        logits, taught = outputs if isinstance(outputs, tuple) else (outputs, outputs)
        distance = F.kl_div(F.log_softmax(taught / t, 1), F.log_softmax(wanted / t, 1),
                            reduction="sum", log_target=True) * t * t / taught.numel()
        return ((1 - self.ALPHA) * SoftTargetCrossEntropy()(logits, shares)
                + self.ALPHA * distance)


def teacher():
    torch.manual_seed(5)
    model = timm.create_model("resnet18", num_classes=CLASSES)
    with torch.no_grad():  # larger weights, so that the logits differ
        model.fc.weight.mul_(20)
    return model.eval()


def distill():
    model, rows, optimizer, _ = deit()
    return model, rows, optimizer, Distillation(teacher())


def token():
    model, rows, optimizer, _ = deit("deit_tiny_distilled_patch16_224")
    model.set_distilled_training()
    return model, rows, optimizer, Distillation(teacher())


TAUGHT = ["optim.layer_decay=0.75", "model.drop_path=0.1",
          "train.distill.type=soft", "train.distill.teacher=resnet18",
          f"train.distill.alpha={Distillation.ALPHA}",
          f"train.distill.temperature={Distillation.TEMPERATURE}"]

RECIPES = {
    "deit": (deit, "configs/imagenet_deit_tiny.yaml",
             ["optim.layer_decay=0.75", "model.drop_path=0.1"]),
    "a2": (a2, "configs/imagenet_resnet50_a2.yaml", []),
    "distill": (distill, "configs/imagenet_deit_tiny.yaml", TAUGHT),
    "token": (token, "configs/imagenet_deit_tiny.yaml",
              ["model.name=deit_tiny_distilled_patch16_224", *TAUGHT]),
}


def train_here(root, config, settings, start, folder):
    """Trains with vitrain from the weights in `start`. Returns the run folder."""
    data = os.environ.get("DATA")
    words = [str(root / "build/release/vitrain"), "-cfg", str(root / config),
             "-devices", "cpu:1", "-output", str(folder), "-pretrained", str(start)]
    settings = [
        f"model.image_size={IMAGE}", f"data.batch_size={BATCH}",
        f"run.max_steps={max(STEPS, 2 * WARMUP)}", f"run.stop_after={STEPS}st",
        f"log.batches=1-{STEPS}", "log.every=1",
        "log.progress=off", "train.precision=fp32", f"train.ema.decay={EMA}",
        "checkpoint.every=1dur", "eval.every=1dur", "eval.batches=1",
        f"schedule.warmup={WARMUP}st", "schedule.unit=step", *settings]
    if data:
        words += ["-data_path", data]
    else:
        settings += [f"data.{part}.{key}" for part in ("train", "eval") for key in (
            "kind=shapes", f"count={6 * STEPS * BATCH}", f"size={IMAGE}")]
    for setting in settings:
        words += ["-set", setting]
    done = subprocess.run(words, stdout=subprocess.DEVNULL).returncode
    if done not in (0, STOPPED):
        sys.exit(f"vitrain ended with {done}")
    return next(folder.glob("*/metrics.jsonl")).parent


def records(run):
    lines = (run / "metrics.jsonl").read_text().splitlines()
    return [record for record in map(json.loads, lines) if record["kind"] == "train"]


def is_statistic(name):
    """Returns true for BatchNorm's running statistics, which are not learned."""
    return "running_" in name


def distance(ours, theirs, statistics=False):
    """Returns the norm of the difference of all weights (or running statistics), relative
    to the norm of theirs."""
    names = [name for name, value in theirs.items()
             if value.dtype.is_floating_point and is_statistic(name) == statistics]
    difference = sum((ours[n] - theirs[n]).double().square().sum() for n in names)
    return (difference / sum(theirs[n].double().square().sum() for n in names)).sqrt().item()


def train_there(make, start, run, dtype=torch.float32):
    """Trains with PyTorch on the run's batches. Returns losses, last weights and average."""
    model, rows, optimizer, criterion = make()
    model.load_state_dict(load_file(start))
    model.to(dtype)
    criterion.to(dtype)
    average = ModelEmaV3(model, decay=EMA)
    model.train()
    losses = []
    for record in records(run):
        batch = load_file(run / "batches" / f"step-{record['step']:06}-0.safetensors")
        rows["drop"] = batch["drop"].to(dtype)
        images = batch["inputs"].to(dtype)
        if isinstance(criterion, Distillation):
            criterion.images = images
        for group in optimizer.param_groups:
            group["lr"] = record["lr"] * group.get("lr_scale", 1.0)
        loss = criterion(model(images), batch["shares"].to(dtype))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model, step=record["step"])
        losses.append(loss.item())
    return losses, model.state_dict(), average.module.state_dict()


def differences(one, other):
    """Returns the differences of two trainings: largest relative difference of the losses,
    and distance() of the weights."""
    losses = max(abs(a - b) / abs(b) for a, b in zip(one[0], other[0], strict=True))
    found = {"loss": losses, "weights": distance(one[1], other[1]),
             "average": distance(one[2], other[2])}
    if any(map(is_statistic, other[1])):
        found["statistics"] = distance(one[1], other[1], statistics=True)
        found["average statistics"] = distance(one[2], other[2], statistics=True)
    return found


def main():
    name, root = sys.argv[1], pathlib.Path(sys.argv[2])
    make, config, settings = RECIPES[name]
    torch.manual_seed(3)
    with tempfile.TemporaryDirectory(prefix="vitrain-curves-") as folder:
        folder = pathlib.Path(folder)
        start = folder / "start.safetensors"
        model = make()[0]
        if name != "a2":  # a2 keeps the zero-initialised branches of its recipe
            with torch.no_grad():
                for value in model.parameters():
                    value.add_(0.02 * torch.randn(value.shape))
        save_file({key: value.contiguous()
                   for key, value in model.state_dict().items()}, start)
        if "train.distill.type=soft" in settings:
            weights = folder / "teacher.safetensors"
            save_file(teacher().state_dict(), weights)
            settings = [*settings, f"train.distill.pretrained={weights}"]
        print(f"{name}: {STEPS} steps of {BATCH} images of {IMAGE} px", flush=True)
        run = train_here(root, config, settings, start, folder / "runs")
        checkpoint = next((run / "checkpoints").glob(f"step-*{STEPS}"))
        ours = ([record["loss"] for record in records(run)],
                load_file(checkpoint / "model.safetensors"),
                load_file(checkpoint / "ema.safetensors"))
        theirs = train_there(make, start, run)
        exact = train_there(make, start, run, torch.float64) if EXACT else None
    for step in sorted({1, min(10, STEPS), *range(25, STEPS + 1, 25), STEPS}):
        print(f"  step {step}: loss {ours[0][step - 1]:.6f} here, "
              f"{theirs[0][step - 1]:.6f} there")
    found = differences(ours, theirs)
    rounded = dict.fromkeys(found, "")
    if EXACT:
        # Differences that rounding alone causes: if they exceed a limit, no
        # implementation can meet it.
        here, there = differences(ours, exact), differences(theirs, exact)
        rounded = {what: f"; from PyTorch in double precision: {here[what]:.2e} here, "
                         f"{there[what]:.2e} there" for what in found}
    for what, value in found.items():
        limit = f"at most {LIMITS[what]:g}" if what in LIMITS else "no limit"
        print(f"{name} {what}: {value:.2e} ({limit}{rounded[what]})")
    sys.exit(any(not found[what] <= limit for what, limit in LIMITS.items()))


main()
