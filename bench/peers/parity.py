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

import timm
import torch
from safetensors.torch import save_file
from timm.layers import DropPath

IMAGES = 2
LOGITS = 1e-5  # what may differ, relative to the largest
GRADIENTS = 1e-4
EXACT_GRADIENTS = 1e-9  # in double precision


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
    # Copies: CoaT has some tensors under several names.
    state = {key: value.clone(memory_format=torch.contiguous_format)
             for key, value in model.state_dict().items()}
    save_file(state, folder / "state.safetensors")
    images = torch.randn(
        (IMAGES, *model.default_cfg["input_size"]), generator=generator).to(dtype)
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


def run(name, program, dtype):
    """What `program` prints: parameters, differences, and whose gradient."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vitrain-parity-"))
    try:
        write_reference(name, folder, dtype)
        return subprocess.run([program, name, folder], capture_output=True, text=True)
    finally:
        shutil.rmtree(folder)


def compare(name, program, limit):
    """A row of the table, and whether it holds."""
    with torch.device("meta"):
        size = sum(v.numel() for v in timm.create_model(
            name, num_classes=1000).parameters())
    row = f"| `{name}` | {size:,} | "
    if size > limit * 1e6:
        return row + f"| | | | not run: more than {limit} million |", True
    done = run(name, program, torch.float32)
    if done.returncode != 0:
        return row + f"| | | | {done.stderr.strip()[:200]} |", False
    ours, logits, evaluated, gradients, *whose = done.stdout.split()
    good = (int(ours) == size and float(logits) <= LOGITS
            and float(evaluated) <= LOGITS)
    row += f"{logits} | {evaluated} | {gradients} | "
    if float(gradients) > GRADIENTS:
        # Where a ReLU is near zero, roundings decide: timm differs as much from
        # itself in another layout or precision.
        done = run(name, program, torch.float64)
        exact = done.stdout.split()[3] if done.returncode == 0 else "nan"
        row += exact
        good = good and float(exact) <= EXACT_GRADIENTS
    note = "" if good else f"**differs**: {' '.join(whose)}, {int(ours):,} parameters"
    return row + f" | {note} |", good


def main():
    program, limit, *patterns = sys.argv[1:]
    ours = subprocess.run([program.replace("bench/parity", "vitrain"), "models"],
                          capture_output=True, text=True, check=True).stdout
    known = set(timm.list_models())
    names = [word for line in ours.splitlines() for word in line.split()[:1]
             if word in known]
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
