"""timm's side of bench/parity.sh, which says what the arguments are.

For each name: timm's network with random weights from a seed; its state, images,
logits of both modes and gradients go to files, which the program `parity` reads.
"""

import fnmatch
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest.mock

import timm
import timm.models.xcit
import torch
from safetensors.torch import save_file
from timm.layers import DropPath

IMAGES = 2
LOGITS = 1e-5  # what may differ, relative to the largest
GRADIENTS = 1e-4
EXACT = 1e-9  # in double precision


def waves_in(dtype):
    """XCiT's positions in a precision: timm takes their sines in fp32 always, whose
    last bits depend on the maker of the processor."""
    encoding = timm.models.xcit.PositionalEncodingFourier
    forward = encoding.forward

    def patched(self, *sizes):
        with unittest.mock.patch.object(torch, "float32", dtype):
            return forward(self, *sizes)

    return unittest.mock.patch.object(encoding, "forward", patched)


def settle_statistics(model, images):
    """Gives each BatchNorm the statistics of the images: with those that it starts
    with, values grow from layer to layer, and roundings with them."""
    norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d | torch.nn.BatchNorm1d)]
    before = [norm.momentum for norm in norms]
    for norm in norms:
        norm.momentum = 1.0
    with torch.no_grad():
        if norms:
            model(images)
    for norm, momentum in zip(norms, before):
        norm.momentum = momentum


def write_reference(name, folder, dtype):
    torch.manual_seed(0)
    model = timm.create_model(name, num_classes=1000)
    for module in model.modules():
        if isinstance(module, DropPath):  # 0.1 is the default of some
            module.drop_prob = 0.0
        elif isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        # Norms, scales and biases that start at 0 or 1 would hide mistakes.
        for value in model.parameters():
            value.add_(0.02 * torch.randn(value.shape, generator=generator))
    images = torch.randn((IMAGES, *model.default_cfg["input_size"]), generator=generator)
    settle_statistics(model.train(), images)
    images = images.to(dtype)
    # Copies: CoaT has some tensors under several names.
    state = {key: value.clone(memory_format=torch.contiguous_format)
             for key, value in model.state_dict().items()}
    save_file(state, folder / "state.safetensors")
    model.to(dtype).train()
    logits = model(images)
    if isinstance(logits, (tuple, list)):
        logits = sum(logits) / len(logits)
    torch.nn.functional.cross_entropy(logits, torch.arange(IMAGES)).backward()
    results = {"images": images, "logits": logits.detach()}
    for key, value in model.named_parameters():
        results["grad/" + key] = value.grad
    with torch.no_grad():
        results["eval"] = model.eval()(images)
    save_file({key: value.contiguous() for key, value in results.items()},
              folder / "results.safetensors")
    return [results["logits"].double(), results["eval"].double()]


class Differences:
    """What `program` prints of ours beside timm's, and timm's logits of both modes."""

    def __init__(self, name, program, dtype):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="vitrain-parity-"))
        try:
            with waves_in(dtype):
                self.theirs = write_reference(name, folder, dtype)
            done = subprocess.run([program, name, folder], capture_output=True, text=True)
        finally:
            shutil.rmtree(folder)
        self.error = done.stderr.strip()[:200] if done.returncode else ""
        if not self.error:
            ours, *values = done.stdout.split()
            self.parameters = int(ours)
            self.logits, self.evaluated, self.gradients = map(float, values[:3])
            self.whose = " ".join(values[3:])  # none where all are equal

    def largest(self):
        return max(self.logits, self.evaluated, self.gradients)

    def within(self, logits, gradients):
        return max(self.logits, self.evaluated) <= logits and self.gradients <= gradients

    def of_their_own(self, other):
        """By how much timm's logits differ from its own in another precision."""
        return max((one - two).abs().max().item() / two.abs().max().item()
                   for one, two in zip(self.theirs, other.theirs))


def compare(name, program, limit):
    """A row of the table, and whether it holds."""
    with torch.device("meta"):
        size = sum(v.numel() for v in timm.create_model(
            name, num_classes=1000).parameters())
    row = f"| `{name}` | {size:,} | "
    if size > limit * 1e6:
        return row + f"| | | | not run: more than {limit} million |", True
    single = Differences(name, program, torch.float32)
    if single.error:
        return row + f"| | | | {single.error} |", False
    row += f"{single.logits:.1e} | {single.evaluated:.1e} | {single.gradients:.1e} | "
    note, good = "", single.parameters == size
    if not single.within(LOGITS, GRADIENTS):
        # Where a ReLU is near zero, or a batch of two is normalised, roundings
        # decide: timm differs as much from itself in another precision.
        double = Differences(name, program, torch.float64)
        if double.error:
            return row + f"| {double.error} |", False
        row += f"{double.largest():.1e}"
        if not single.within(LOGITS, float("inf")):
            note = f"timm's own logits: {single.of_their_own(double):.1e}"
        good = good and double.within(EXACT, EXACT)
    if not good:
        note = f"**differs**: {single.whose}, {single.parameters:,} parameters; {note}"
    return row + f" | {note} |", good


def main():
    program, limit, *patterns = sys.argv[1:]
    ours = subprocess.run([program.replace("bench/parity", "vitrain"), "models"],
                          capture_output=True, text=True, check=True).stdout
    known = set(timm.list_models())
    names = [word for line in ours.splitlines() for word in line.split()[:1] if word in known]
    if patterns:
        names = [name for name in names
                 if any(fnmatch.fnmatch(name, one) for one in patterns)]
    print("| name | parameters | logits | evaluation | gradients | in fp64 | |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
    failed = 0
    for name in names:
        row, good = compare(name, program, int(limit))
        failed += not good
        print(row, flush=True)
    print(f"{len(names)} names, {failed} differ")
    sys.exit(failed > 0 or not names)


main()
