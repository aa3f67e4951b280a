"""Part H: a published recipe compared with its author's own code."""

import os
import pathlib
import statistics
import tarfile

from machine import PACKED

TITLE = "CIFAR-10 by Jordan's recipe (configs/cifar10_airbench94.yaml), top-1 in percent"
ARCHIVE = PACKED / "cifar10.tar.xz"
AIRBENCH = PACKED / "airbench"
SEEDS = (1, 2, 3)


def unpacked(machine):
    """Unpacks the images. Returns the folder that contains train/ and test/."""
    folder = machine.folder()
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(folder, filter="data")
    return next(path for path in (folder, *folder.iterdir()) if (path / "train").is_dir())


def ours(machine, folder, seed):
    run = machine.vitrain(
        ["-data_path", folder],
        [f"run.seed={seed}", "eval.every=1dur", *(["run.max_steps=4"] if machine.quick else [])],
        config="cifar10_airbench94")
    last = run.records("eval")[-1]
    return {"top-1": 100.0 * last["correct1"] / last["count"], "s": run.seconds}


def theirs(machine, folder, seed):
    before = os.environ.get("PYTHONPATH")
    run = machine.command(
        [machine.python, pathlib.Path(__file__).parent.parent / "peers/airbench_jpeg.py", folder,
         seed],
        machine.environment(
            ours=False, PYTHONPATH=":".join([str(AIRBENCH), *([before] if before else [])])))
    return {"top-1": float(run.output.splitlines()[-1]), "s": run.seconds}


def run(part):
    machine = part.machine
    if not ARCHIVE.exists():
        part.leave_out("all", f"there is no {ARCHIVE}: bench/gpu_pack.sh packs it where it finds it")
        return
    folder = unpacked(machine)
    seeds = SEEDS[:1] if machine.quick else SEEDS
    reached = {"ours": [], "theirs": []}
    for seed in seeds:
        for side, function in (("ours", ours), ("theirs", theirs)):
            if side == "theirs" and (machine.fake or not AIRBENCH.is_dir()):
                part.leave_out(f"{side}, seed {seed}", "needs a GPU and the package airbench")
                continue

            def trained(side=side, function=function, seed=seed):
                values = function(machine, folder, seed)
                reached[side].append(values["top-1"])
                return values

            part.measure(f"{side}, seed {seed}", 40, trained)
    part.measure("mean", 0, lambda: {
        side: statistics.mean(found) for side, found in reached.items() if found})
