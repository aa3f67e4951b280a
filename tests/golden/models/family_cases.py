"""What the scripts in families/ share: a reference of one model family.

Each script names small and awkward variants of its family and calls write().
Runs timm; needs torch 2.11, timm 1.0.31, safetensors. Weights, images and what
is dropped are patterns that the test makes as well (make_fixtures.py), so that
only results are kept, in double precision:

  FAMILY.safetensors, for each case
    CASE/logits        of training mode
    CASE/eval          of evaluation mode afterwards (where there are buffers)
    CASE/PARAMETER     of its gradient a sample, with a weighted sum behind it
    CASE/start/TENSOR  a weighted sum of what the constructor leaves after
                       torch.manual_seed(11)
  FAMILY.csv           parameters and image size (H or HxW) of every name

    python3 tests/golden/models/families/swin.py     (one family)
"""

import csv
import math
import pathlib
import sys

import timm
import torch
from safetensors.torch import save_file
from timm.layers import DropPath

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from make_fixtures import pattern, set_parameters, weighted_sum

HERE = pathlib.Path(__file__).resolve().parent / "families"
IMAGES = 3
CLASSES = 7
SAMPLE = 200  # values kept of a gradient
DROP_PATH = 0.25


class Case:
    """A network and an image size (a number, or height and width).

    `model`: a name of timm, or a class. `fixed`: its constructor wants the
    image size. `calls`: how often a forward pass goes through each drop path,
    a number or a function of its name.
    """

    def __init__(self, name, model, size, fixed=False, calls=1, **arguments):
        self.name = name
        self.model = model
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        self.fixed = fixed
        self.calls = calls
        self.arguments = arguments

    def build(self):
        arguments = dict(self.arguments, num_classes=CLASSES)
        if self.fixed:
            arguments["img_size"] = self.size
        if not isinstance(self.model, str):
            return self.model(**arguments)
        return timm.create_model(self.model, **arguments)


class Factors(torch.nn.Module):
    """Stands in for timm's DropPath: row after row of the factors."""

    def __init__(self, factors):
        super().__init__()
        self.factors = factors
        self.calls = 0

    def forward(self, x):
        if not self.training:
            return x
        row = self.factors[self.calls % len(self.factors)]
        self.calls += 1
        # Parts of one image share its factor.
        row = row.repeat_interleave(x.shape[0] // len(row))
        return x * row.view(-1, *[1] * (x.dim() - 1)).to(x.dtype)


def factors_of(row):
    """The factors of a branch, an image each: some of them 0."""
    return torch.tensor([((row * 7 + n * 3) % 5) * 0.5 for n in range(IMAGES)])


def replace_drop_paths(model, calls):
    """Each branch its own factors, also those of rate 0, which timm leaves out.

    Blocks without a way around them have a drop path that they do not use.
    """
    row = 0
    for name, module in list(model.named_modules()):
        last = name.rsplit(".", 1)[-1]
        if not last.startswith("drop_path"):
            continue
        parent = model.get_submodule(name.rsplit(".", 1)[0])
        if not getattr(parent, "has_skip", True):
            setattr(parent, last, torch.nn.Identity())
            continue
        if getattr(parent, "identity", parent) is None:
            continue  # timm drops nothing where there is no way around it
        count = calls(name) if callable(calls) else calls
        setattr(parent, last, Factors([factors_of(row + i) for i in range(count)]))
        row += count
    assert not any(isinstance(module, DropPath) for module in model.modules())


def set_buffers(model):
    """Running statistics that are not those of a new model."""
    kept = model.state_dict()
    buffers = [one for one in sorted(model.named_buffers()) if one[0] in kept]
    with torch.no_grad():
        for number, (name, value) in enumerate(buffers):
            if name.endswith(("running_mean", "running_var")):
                values = 0.5 * pattern(value.numel(), 500 + number)
                value.copy_(values + (1.0 if name.endswith("var") else 0.0))


def write_case(case, tensors):
    torch.manual_seed(11)
    model = case.build()
    # A module that stands in several places has its first name alone.
    first = {key for key, _ in [*model.named_parameters(), *model.named_buffers()]}
    persistent = {key: value for key, value in model.state_dict().items()
                  if key in first}
    for key, value in persistent.items():
        if value.is_floating_point():
            tensors[f"{case.name}/start/{key}"] = torch.tensor(
                [weighted_sum(value)], dtype=torch.float64)
    model = model.double().train()
    set_parameters(model)
    set_buffers(model)
    replace_drop_paths(model, case.calls)
    height, width = case.size
    images = pattern(IMAGES * 3 * height * width, 1000).reshape(
        IMAGES, 3, height, width)
    logits = model(images)
    if isinstance(logits, (tuple, list)):  # DeiT's two heads: what is trained
        logits = sum(logits) / len(logits)
    torch.nn.functional.cross_entropy(
        logits, torch.arange(IMAGES) % CLASSES).backward()
    tensors[f"{case.name}/logits"] = logits.detach()
    for key, value in model.named_parameters():
        flat = value.grad.flatten()
        step = max(1, math.ceil(flat.numel() / SAMPLE))
        tensors[f"{case.name}/{key}"] = torch.cat(
            [flat[::step], torch.tensor([weighted_sum(flat)], dtype=flat.dtype)])
    if any(key.endswith("running_mean") for key in persistent):
        with torch.no_grad():
            tensors[f"{case.name}/eval"] = model.eval()(images)


def write_names(family, names):
    with open(HERE / f"{family}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "parameters", "image_size"])
        for name in names:
            with torch.device("meta"):
                model = timm.create_model(name, num_classes=1000)
            count = sum(value.numel() for value in model.parameters())
            height, width = model.default_cfg["input_size"][-2:]
            size = height if height == width else f"{height}x{width}"
            writer.writerow([name, count, size])


def names_of(*starts, but=()):
    """timm's names with one of these starts, but those that `but` matches."""
    return [name for name in timm.list_models()
            if name.startswith(starts) and not any(one.search(name) for one in but)]


def write(family, cases, names):
    tensors = {}
    for case in cases:
        write_case(case, tensors)
    if tensors:
        save_file({key: value.contiguous() for key, value in tensors.items()},
                  HERE / f"{family}.safetensors")
    write_names(family, names)
