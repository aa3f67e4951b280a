"""timm's side of bench/parity.sh, which says what the arguments are.

For each name: timm's network with random weights from a seed; its state, images,
logits of both modes and gradients go to files, which the program `parity` reads.
Neither side holds all gradients in memory: each is written to a file at once.
"""

import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback
import unittest.mock

import safetensors.torch
import timm
import timm.models.xcit
import torch
import torchvision.models
from timm.layers import DropPath

IMAGES = 2
LOGITS = 1e-5  # allowed difference, relative to the largest value
GRADIENTS = 1e-4
EXACT = 1e-9  # in double precision
# Without auxiliary classifiers, as with published weights.
TORCHVISION = {"googlenet": {"aux_logits": False, "init_weights": False}}


def waves_in(dtype):
    """Patches timm to compute XCiT's positions in `dtype`: it always computes their sines
    in fp32, whose last bits depend on the processor."""
    encoding = timm.models.xcit.PositionalEncodingFourier
    forward = encoding.forward

    def patched(self, *sizes):
        with unittest.mock.patch.object(torch, "float32", dtype):
            return forward(self, *sizes)

    return unittest.mock.patch.object(encoding, "forward", patched)


def settle_statistics(model, images):
    """Sets each BatchNorm's running statistics to those of the images: with the initial
    ones, values grow from layer to layer, and rounding errors with them."""
    norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d | torch.nn.BatchNorm1d)]
    before = [norm.momentum for norm in norms]
    for norm in norms:
        norm.momentum = 1.0
    with torch.no_grad():
        if norms:
            model(images)
    for norm, momentum in zip(norms, before):
        norm.momentum = momentum


def write_tensors(tensors, path):
    """Writes a safetensors file, one tensor at a time (the package's own writer copies
    all, and refuses tensors that CoaT has under several names)."""
    kinds = {torch.float32: "F32", torch.float64: "F64", torch.int64: "I64"}
    header, end = {}, 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.numel() * tensor.element_size()
        header[name] = {"dtype": kinds[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            tensor.detach().contiguous().numpy().tofile(file)


def keep_gradients(model, folder):
    """Writes each gradient to a file as soon as it is computed. Returns the set of names
    whose gradients are still missing."""
    names = {name for name, _ in model.named_parameters()}

    def write(name, value):
        write_tensors({"gradient": value.grad}, folder / f"{name}.gradient")
        value.grad = None
        names.remove(name)

    for name, value in model.named_parameters():
        value.register_post_accumulate_grad_hook(lambda v, name=name: write(name, v))
    return names


def network(name, size):
    """Returns timm's network, or torchvision's if timm has none, for images of `size`
    pixels if that is not None or 0."""
    if not timm.is_model(name):
        return torchvision.models.get_model(name, **TORCHVISION.get(name, {}))
    try:
        return timm.create_model(name, num_classes=1000, **({"img_size": size} if size else {}))
    except TypeError:  # has no img_size: accepts any size
        return timm.create_model(name, num_classes=1000)


def write_reference(name, folder, dtype, size):
    torch.manual_seed(0)
    model = network(name, size)
    for module in model.modules():
        if isinstance(module, DropPath):  # some have 0.1 by default
            module.drop_prob = 0.0
        elif isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        # Initial values of 0 or 1 (norms, scales, biases) would hide mistakes.
        for value in model.parameters():
            value.add_(0.02 * torch.randn(value.shape, generator=generator))
    shape = (3, size, size) if size else getattr(
        model, "default_cfg", {"input_size": (3, 224, 224)})["input_size"]
    images = torch.randn((IMAGES, *shape), generator=generator)
    settle_statistics(model.train(), images)
    images = images.to(dtype)
    write_tensors(model.state_dict(), folder / "state.safetensors")
    model.to(dtype).train()
    names = keep_gradients(model, folder)
    logits = model(images)
    if isinstance(logits, (tuple, list)):
        logits = sum(logits) / len(logits)
    torch.nn.functional.cross_entropy(logits, torch.arange(IMAGES)).backward()
    if names:
        sys.exit(f"{name}: timm has no gradient of {', '.join(sorted(names))}")
    logits = logits.detach()
    with torch.no_grad():
        evaluated = model.eval()(images)
    write_tensors({"images": images, "logits": logits, "eval": evaluated},
                  folder / "results.safetensors")


def in_another_process(what, *arguments):
    """Runs `what` in a child process, whose memory is free afterwards. Returns an error
    text, or ""."""
    child = os.fork()
    if child == 0:
        try:
            what(*arguments)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return f"timm's side ended with {code}" if code else ""


class Differences:
    """Differences between vitrain and timm that `program` prints, and timm's logits in both
    modes."""

    def __init__(self, name, program, dtype, size):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="vitrain-parity-"))
        try:
            with waves_in(dtype):
                self.error = in_another_process(write_reference, name, folder, dtype, size)
            if self.error:
                return
            done = subprocess.run([program, name, folder], capture_output=True, text=True)
            results = safetensors.torch.load_file(folder / "results.safetensors")
            self.theirs = [results[mode].double() for mode in ("logits", "eval")]
        finally:
            shutil.rmtree(folder)
        if done.returncode:  # negative: killed by a signal, for example without enough memory
            self.error = done.stderr.strip()[:200] or f"ours ended with {done.returncode}"
        else:
            ours, *values = done.stdout.split()
            self.parameters = int(ours)
            self.logits, self.evaluated, self.gradients = map(float, values[:3])
            self.whose = " ".join(values[3:])  # empty if all are equal

    def largest(self):
        return max(self.logits, self.evaluated, self.gradients)

    def within(self, logits, gradients):
        return max(self.logits, self.evaluated) <= logits and self.gradients <= gradients

    def of_their_own(self, other):
        """Returns the difference of timm's logits from its own in another precision."""
        return max((one - two).abs().max().item() / two.abs().max().item()
                   for one, two in zip(self.theirs, other.theirs))


def compare(name, program, limit, pixels):
    """Returns a row of the table, and whether the differences are allowed."""
    with torch.device("meta"):  # the number of positions depends on the size
        size, here = (sum(v.numel() for v in network(name, side).parameters())
                      for side in (None, pixels))
    row = f"| `{name}` | {size:,} | "
    if size > limit * 1e6:
        return row + f"| | | | not run: more than {limit} million |", True
    single = Differences(name, program, torch.float32, pixels)
    if single.error:
        return row + f"| | | | {single.error} |", False
    row += f"{single.logits:.1e} | {single.evaluated:.1e} | {single.gradients:.1e} | "
    note, good = f"{pixels} px" if pixels else "", single.parameters == here
    if not single.within(LOGITS, GRADIENTS):
        # Rounding decides near the zero of a ReLU, or if a batch of two is normalised:
        # timm in another precision differs as much from itself.
        double = Differences(name, program, torch.float64, pixels)
        if double.error:
            return row + f"| {double.error} |", False
        row += f"{double.largest():.1e}"
        if not single.within(LOGITS, float("inf")):
            note += f"{', ' if note else ''}timm's own logits: {single.of_their_own(double):.1e}"
        good = good and double.within(EXACT, EXACT)
    if not good:
        note = f"**differs**: {single.whose}, {single.parameters:,} parameters; {note}"
    return row + f" | {note} |", good


def main():
    program, limit, *patterns = sys.argv[1:]
    ours = subprocess.run([program.replace("bench/parity", "vitrain"), "models"],
                          capture_output=True, text=True, check=True).stdout
    known = {*timm.list_models(), *torchvision.models.list_models(torchvision.models)}
    names = [word for line in ours.splitlines() for word in line.split()[:1] if word in known]
    chosen = {}  # image size of each network; 0: its own
    for pattern in patterns or ["*"]:
        pattern, _, pixels = pattern.partition("@")
        chosen.update({name: int(pixels or 0) for name in fnmatch.filter(names, pattern)})
    print("| name | parameters | logits | evaluation | gradients | in fp64 | |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
    failed = 0
    for name, pixels in chosen.items():
        row, good = compare(name, program, int(limit), pixels)
        failed += not good
        print(row, flush=True)
    print(f"{len(chosen)} names, {failed} differ")
    sys.exit(failed > 0 or not chosen)


main()
