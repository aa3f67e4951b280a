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

IMAGES = 2
LOGITS = 1e-5  # what may differ, relative to the largest
GRADIENTS = 1e-4


def write_reference(name, folder):
    torch.manual_seed(0)
    model = timm.create_model(name, num_classes=1000)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        # Norms, scales and biases that start at 0 or 1 would hide mistakes.
        for value in model.parameters():
            value.add_(0.02 * torch.randn(value.shape, generator=generator))
    state = {key: value.contiguous() for key, value in model.state_dict().items()}
    save_file(state, folder / "state.safetensors")
    images = torch.randn(
        (IMAGES, *model.default_cfg["input_size"]), generator=generator)
    model.train()
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


def compare(name, program, limit):
    """A row of the table, and whether it holds."""
    with torch.device("meta"):
        size = sum(v.numel() for v in timm.create_model(name).parameters())
    if size > limit * 1e6:
        return f"| `{name}` | {size:,} | | | | not run: more than {limit} million |", True
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vitrain-parity-"))
    try:
        write_reference(name, folder)
        run = subprocess.run([program, name, folder], capture_output=True, text=True)
    finally:
        shutil.rmtree(folder)
    if run.returncode != 0:
        return f"| `{name}` | {size:,} | | | | {run.stderr.strip()[:200]} |", False
    ours, logits, evaluated, gradients, *whose = run.stdout.split()
    good = (int(ours) == size and float(logits) <= LOGITS
            and float(evaluated) <= LOGITS and float(gradients) <= GRADIENTS)
    note = "" if good else f"**differs**: {' '.join(whose)}, {int(ours):,} parameters"
    return (f"| `{name}` | {size:,} | {logits} | {evaluated} | {gradients} | {note} |",
            good)


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
    print("| name | parameters | logits | evaluation | gradients | |")
    print("| --- | ---: | ---: | ---: | ---: | --- |", flush=True)
    failed = 0
    for name in names:
        row, good = compare(name, program, int(limit))
        failed += not good
        print(row, flush=True)
    print(f"{len(names)} names, {failed} differ")
    sys.exit(failed > 0 or not names)


main()
